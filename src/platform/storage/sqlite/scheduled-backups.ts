import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { timestamp, type Clock } from '../../clock.ts'
import { keepNewest, stamp, sweepPartials } from '../../files.ts'
import { makeDirectory } from '../../paths.ts'
import { selfCommand } from '../../process/sandbox.ts'

const NAME = /^agenthall-\d+T\d+Z\.db$/
const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const RETRY_MS = 10 * 60_000
/** Node's timers cannot wait longer than 24 days; checking once an hour also notices when the wall clock was set. */
const NAP_MS = 60 * 60_000

/** State of the scheduled backups, for metrics. */
interface BackupStatus {
  succeeded: number
  failed: number
  /** Whether the last attempt failed. */
  failing: boolean
  last_success: string | null
  last_failure: string | null
  last_took_ms: number | null
}

/** Makes one backup; rejects when it is not good. */
export type MakeBackup = (to: string, signal: AbortSignal) => Promise<void>

/** The part of a log needed here. */
interface Log { info (facts: object, message: string): void, error (facts: object, message: string): void }

/** Parses `30m`, `24h` or `7d` into milliseconds. */
export function durationMs (text: string): number {
  return Number(text.slice(0, -1)) * UNITS[text.slice(-1)]!
}

/** When the newest backup in a folder was made, in milliseconds since 1970; undefined if there is none. */
export function newestBackup (folder: string): number | undefined {
  try {
    const times = readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => statSync(path.join(folder, name)).mtimeMs)
    return times.length > 0 ? Math.max(...times) : undefined
  } catch {
    return undefined
  }
}

/**
 * Makes a backup whenever the newest in the folder is older than `everyMs`, whichever start of the server made it, and
 * keeps the newest few. A failure is logged, tried again after ten minutes, and costs no older backup.
 */
export function scheduleBackups ({ everyMs, keep, folder, make, clock, log }: {
  everyMs: number, keep: number, folder: string, make: MakeBackup, clock: Clock, log: Log
}): { status: BackupStatus, stop (): Promise<void> } {
  const status: BackupStatus = {
    succeeded: 0, failed: 0, failing: false, last_success: null, last_failure: null, last_took_ms: null
  }
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  async function attempt () {
    const started = clock.monotonic()
    try {
      makeDirectory(folder)
      sweepPartials(folder)
      const to = path.join(folder, `agenthall-${stamp(clock.micros())}.db`)
      await make(to, stopping.signal)
      keepNewest(folder, NAME, keep)
      Object.assign(status, {
        succeeded: status.succeeded + 1,
        failing: false,
        last_success: timestamp(clock.micros()),
        last_took_ms: Math.round(clock.monotonic() - started)
      })
      log.info({ to, took_ms: status.last_took_ms }, 'a scheduled backup was made')
    } catch (error) {
      if (stopping.signal.aborted) return
      Object.assign(status, { failed: status.failed + 1, failing: true, last_failure: timestamp(clock.micros()) })
      log.error({ err: error, folder }, 'a scheduled backup failed; it is tried again')
    }
  }

  function sleep (ms: number) {
    timer = setTimeout(() => { running = wake() }, Math.max(0, Math.min(ms, NAP_MS))).unref()
  }

  async function wake () {
    if (dueIn(folder, everyMs, clock) <= 0) await attempt()
    if (!stopping.signal.aborted) sleep(status.failing ? Math.min(RETRY_MS, everyMs) : dueIn(folder, everyMs, clock))
  }

  sleep(0)
  return {
    status,
    async stop () {
      clearTimeout(timer)
      stopping.abort()
      await running
    }
  }
}

function dueIn (folder: string, everyMs: number, clock: Clock): number {
  let newest: string | undefined
  try {
    newest = readdirSync(folder).filter((name) => NAME.test(name)).sort().at(-1)
  } catch {
    // No folder, no backup yet.
  }
  if (!newest) return 0
  const age = clock.micros() / 1000 - statSync(path.join(folder, newest)).mtimeMs
  // A backup from the future means that the clock was set back, not that none is needed until then.
  return age < -NAP_MS ? 0 : everyMs - age
}

/**
 * Makes backups with this program's own `backup` command in a separate process, so that verifying the copy blocks
 * nobody.
 */
export function backupApart (directory: string, program = selfCommand('backup')): MakeBackup {
  return (to, signal) => new Promise((resolve, reject) => {
    const [command = '', ...args] = program
    const child = spawn(command, [...args, to, '--data', directory], {
      env: {}, stdio: ['ignore', 'ignore', 'pipe'], signal
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => { said = (said + text).slice(-4096) })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `The backup command ended with ${code}.`))
    )
  })
}
