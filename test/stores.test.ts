import t from 'tap'
import { onEveryStore, openEveryStore } from './stores.ts'

onEveryStore(t, openEveryStore)
