import { readFileSync, writeFileSync } from 'node:fs'
import { settingsTable } from '../src/config.ts'

// Fills the generated part of the README in the directory it is run in: `node scripts/readme.ts`. A test compares it.
const parts = readFileSync('README.md', 'utf8').split(/(?<=<!-- settings -->\n)[^]*(?=<!-- \/settings -->)/)
writeFileSync('README.md', parts.join(settingsTable() + '\n'))
