import { timestamp, type Clock } from '../platform/clock.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import { whileLeading } from '../platform/neighbours/leading.ts'
import type { OnFault, Worker } from '../platform/work/worker.ts'
import type { Background, Life, Log, Running } from './contract.ts'

/**
 * How often the leading process takes up what dead processes have left, and the silence after which something counts as
 * left: longer than any call of another system may take, and than clocks may differ.
 */
const RECOVERY_MS = 30_000
const QUIET_MICROS = 15 * 60 * 1e6

/** What a process does with what features have registered. */
export interface Living extends Life {
  log: Log
  onFault: OnFault
  /** Starts the background work; only in the one process that works on the data. */
  work (onFault: OnFault, log?: Log): Promise<Background>
  /** Stops the background work and ends everything, in reverse order of opening. */
  close (): Promise<void>
}

/** See Living. */
export function openLife ({ worker, clock, leads, neighbours }: {
  worker: Pick<Worker, 'start' | 'stop' | 'idle'>
  clock: Clock
  leads: () => boolean
  neighbours: Pick<Neighbours, 'isAlone' | 'onBeat'>
}): Living {
  const beginnings: Array<() => Promise<Running | void>> = []
  const recoveries: Array<(silentSince?: string) => Promise<void>> = []
  const endings: Array<() => Promise<void> | void> = []
  const running: Running[] = []
  /** Receivers of faults and lines of the log, once there are any. */
  const observers: { onFault?: OnFault, log?: Log | undefined } = {}
  const onFault: OnFault = (...fault) => observers.onFault?.(...fault)
  let stopping: Promise<void> | undefined
  let background: Background | undefined
  let closing: Promise<void> | undefined

  async function takeUp (silentSince?: string) {
    for (const one of recoveries) await one(silentSince)
  }

  async function stop () {
    await worker.stop()
    await inReverse(running.map((one) => () => one.stop?.()))
  }

  return {
    log: {
      info: (...line) => observers.log?.info(...line),
      warn: (...line) => observers.log?.warn(...line)
    },
    onFault,
    onWork: (begin) => { beginnings.push(begin) },
    onRecovery: (one) => { recoveries.push(one) },
    onClose: (end) => { endings.push(end) },
    async work (heard, log) {
      Object.assign(observers, { onFault: heard, log })
      for (const begin of beginnings) running.push(await begin() ?? {})
      const quiet = () => timestamp(clock.micros() - QUIET_MICROS)
      if (neighbours.isAlone) await takeUp()
      else whileLeading({ leads, neighbours, clock, onFault }, RECOVERY_MS, async () => await takeUp(quiet()))
      worker.start(onFault)
      background = {
        stop: async () => await (stopping ??= stop()),
        async settled () {
          await worker.idle()
          for (const one of running) await one.settled?.()
        }
      }
      return background
    },
    close: async () => await (closing ??= inReverse([...endings, async () => await background?.stop()]))
  }
}

/** Calls all of them, the last one first, whatever one of them does; throws what was thrown first. */
async function inReverse (tasks: ReadonlyArray<() => Promise<void> | void>) {
  const faults: unknown[] = []
  for (const task of tasks.toReversed()) {
    try {
      await task()
    } catch (fault) {
      faults.push(fault)
    }
  }
  if (faults.length > 0) throw faults[0]
}
