import { readFileSync, writeFileSync } from 'node:fs'
import { settingsTable } from '../src/config.ts'

// Fills in the table of settings in the directory it is run in: `node scripts/settings.ts`. A test compares it.
const PAGE = 'docs/settings.md'
const parts = readFileSync(PAGE, 'utf8').split(/(?<=<!-- settings -->\n)[^]*(?=<!-- \/settings -->)/)
writeFileSync(PAGE, parts.join(settingsTable() + '\n'))
