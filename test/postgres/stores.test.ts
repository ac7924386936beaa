import t from 'tap'
import { onEveryStore, openEveryStore } from '../stores.ts'
import { emptyDatabase } from './database.ts'

onEveryStore(t, async (t) => await openEveryStore(t, { AGENTHALL_DATABASE: await emptyDatabase(t) }))
