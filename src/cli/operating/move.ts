import type { Command } from 'commander'
import { dataFile, mustBeThere } from '../../data-file.ts'
import { Refusal } from '../../platform/errors.ts'
import { commandLine } from '../../platform/process/command-line.ts'
import { moveToFile, moveToPostgres } from '../../platform/storage/moving/between.ts'
import type { Moved } from '../../platform/storage/moving/move.ts'
import { command, configOf, print, type CommonOptions, type CliIo } from '../common.ts'

/** `move`: copies everything from a data file into a PostgreSQL database, or back; no server may be running. */
export function moveCommand (io: CliIo): Command {
  return command(
    'move', 'move everything from the data file into PostgreSQL, or back into a file; stop the server first',
    'move --to postgres://agenthall:secret@db.internal/agenthall', 'move --to /var/lib/agenthall'
  )
    .requiredOption('--to <where>', 'a PostgreSQL database without tables, or a directory without a data file')
    .action(async ({ to, ...options }: CommonOptions & { to: string }) => {
      const { DATABASE, DATA } = configOf(io, options)
      const onTable = ({ table, rows }: Moved) => io.progress?.(`${table}: ${rows} rows`)
      const moved = /^postgres(?:ql)?:/.test(to)
        ? await moveToPostgres(fileToMove(DATABASE, DATA), to, onTable)
        : await moveToFile(databaseToMove(DATABASE), dataFile(to), DATA, onTable)
      io.progress?.('')
      const rows = moved.reduce((sum, one) => sum + one.rows, 0)
      print(io, options, { rows, tables: moved }, () =>
        `Moved ${rows} rows in ${moved.length} tables, counted and compared on both sides. ${nextStep(to, DATA)}`)
    })
}

function fileToMove (database: string, directory: string): string {
  if (database !== '') {
    throw new Refusal('conflict', 'Everything is in PostgreSQL already (AGENTHALL_DATABASE). Use --to with a directory, or unset it to move a data file.')
  }
  const file = dataFile(directory)
  mustBeThere(file)
  return file
}

function databaseToMove (database: string): string {
  if (database !== '') return database
  throw new Refusal('VALIDATION_ERROR', 'Set AGENTHALL_DATABASE to the database to move into a file.')
}

const nextStep = (to: string, directory: string) => /^postgres/.test(to)
  ? `Start the server with AGENTHALL_DATABASE set to that address; agenthall.key stays in ${directory}. The file is kept as it was.`
  : `Start the server with "${commandLine(`serve --data ${to}`)}" and without AGENTHALL_DATABASE. The database is kept as it was.`
