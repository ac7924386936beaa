import path from 'node:path'
import type { Command } from 'commander'
import { backup, type Verified } from '../platform/storage/sqlite/backup.ts'
import { systemClock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import { makeDirectory } from '../platform/paths.ts'
import { unmarkMoved } from '../platform/storage/moving/mark.ts'
import { takeLock } from '../platform/storage/sqlite/disk/lock.ts'
import { refuseSource, restore } from '../platform/storage/sqlite/restore.ts'
import { accounting, dataFile, mustBeThere } from '../data-file.ts'
import { command, configOf, print, type CommonOptions, type CliIo } from './common.ts'

/** `backup`: a verified copy of everything, also while a server runs. */
export function backupCommand (io: CliIo): Command {
  return command(
    'backup', 'copy everything into one file, even while the server runs, and verify the copy',
    'backup /elsewhere/agenthall.db', 'backup --force /elsewhere/agenthall.db --data /var/lib/agenthall'
  )
    .argument('<to>', 'the file to write')
    .option('--force', 'replace the file if it exists')
    .action(async (to: string, options: CommonOptions & { force?: boolean }) => {
      const { progress } = io
      const file = fileOf(io, options)
      mustBeThere(file)
      const verified = await backup({
        file,
        to: path.resolve(to),
        accounting,
        force: options.force ?? false,
        ...(progress && {
          onProgress: (done) => progress(done < 1 ? `Copying: ${Math.floor(done * 100)} %` : 'Verifying the copy')
        })
      })
      progress?.('')
      print(io, options, { to, ...verified }, () => `Backed up to ${to} and verified: ${inWords(verified)}.`)
    })
}

/** `restore`: replaces the data by a backup; no server may be running. */
export function restoreCommand (io: CliIo): Command {
  return command(
    'restore', 'replace the data with a backup, keeping the old data beside it; stop the server first',
    'restore /elsewhere/agenthall.db'
  )
    .argument('<from>', 'a file that "backup" made')
    .action((from: string, options: CommonOptions) => {
      const file = fileOf(io, options)
      refuseSource(path.resolve(from))
      makeDirectory(path.dirname(file))
      const lock = takeLock(path.dirname(file))
      if (!lock) throw new Refusal('conflict', `A server is using ${path.dirname(file)}. Stop it, then restore.`)
      try {
        const restored = restore({ from: path.resolve(from), file, micros: systemClock().micros(), accounting })
        unmarkMoved(file)
        const kept = restored.kept ? `\nThe previous data is kept in ${restored.kept}.` : ''
        print(
          io,
          options,
          { from, ...restored, kept: restored.kept ?? null },
          () => `Restored ${from} into ${file}: ${inWords(restored)}.${kept}`
        )
      } finally {
        lock.release()
      }
    })
}

/** The data file. Refuses with `conflict` if a database stores everything. */
function fileOf (io: CliIo, options: CommonOptions): string {
  const { DATABASE, DATA } = configOf(io, options)
  if (DATABASE === '') return dataFile(DATA)
  throw new Refusal(
    'conflict',
    'Everything is in PostgreSQL (AGENTHALL_DATABASE); back up and restore with its tools: pg_dump and pg_restore, or base backups with the WAL. Keep a copy of agenthall.key with them.'
  )
}

function inWords ({ version, bytes, tables, rows }: Verified): string {
  return `${rows} rows in ${tables} tables, ${Math.ceil(bytes / 1024)} KiB, version ${version}`
}
