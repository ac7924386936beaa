import { readFileSync, writeFileSync } from 'node:fs'
import { settingsTable } from '../src/config.ts'

// Fills the part of the README that is generated: `node scripts/readme.ts [file]`. A test compares it.
const file = process.argv[2] ?? 'README.md'
const parts = readFileSync(file, 'utf8').split(/(?<=<!-- settings -->\n)[^]*(?=<!-- \/settings -->)/)
writeFileSync(file, parts.join(settingsTable() + '\n'))
