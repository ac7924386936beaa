import type { Kernel } from '../../kernel/index.ts'
import { whileLeading } from '../../platform/neighbours/leading.ts'
import type { Blobs } from '../../platform/storage/sqlite/blobs.ts'
import { step } from '../../platform/storage/work.ts'
import { inSlices, type Slice } from '../../platform/work/slices.ts'
import { nextTurn } from '../../platform/work/turns.ts'
import type { PassageIndex } from '../../search/passages.sqlite.ts'

/** How often deleted data is looked for, and the time limit of one slice of wiping. */
const LOOK_MS = 1000
const SLICE_MS = 2
/** Age at which half-written data, while several processes serve, is attributed to a dead one. */
const HALF_WRITTEN_MS = 6 * 60 * 60_000

/** What wipes deleted texts, files and passages in the background. */
export interface Wiping {
  /** Comes to a stop; the rest is done at the next start. */
  stop (): Promise<void>
  /** Resolves when what was deleted is wiped. */
  settled (): Promise<void>
}

/** Starts wiping, in the process that leads. `onFault` is called with unexpected errors; they are retried. */
export async function startWiping (
  { db, blobs, index, secrets, leads, neighbours, clock, onFault }:
  Pick<Kernel, 'db' | 'secrets' | 'leads' | 'neighbours' | 'clock' | 'onFault'> & { blobs: Blobs, index: PassageIndex }
): Promise<Wiping> {
  if (neighbours.isAlone) {
    // The one server of this file has just started: what is half-written belongs to nobody.
    await blobs.abandonStaged()
    await db.atomically(function * () { yield * index.abandon(yield * index.newest()) }, { frees: true })
  } else {
    let before = { blob: 0, training: 0 }
    whileLeading({ leads, neighbours, clock, onFault }, HALF_WRITTEN_MS, async () => {
      const { blob, training } = before
      await blobs.abandonStaged(blob)
      await db.atomically(() => index.abandon(training), { frees: true })
      before = { blob: await blobs.newest(), training: await db.read(() => index.newest()) }
    })
  }
  let wiping: Promise<void> | undefined
  const stop = new AbortController()
  const stopping = stop.signal
  // What a killed process had wiped may still be in the WAL it left.
  let isCheckpointed = false
  let isSealed = false

  const destroySome = async () => await db.atomically(function * () {
    const isAny = yield * secrets.isAnyDoomed()
    yield * secrets.destroySome()
    return (yield * index.destroySome()) || isAny
  }, { frees: true })

  /**
   * Destroys the secrets of what was deleted: nobody can read it from then on, while taking it out of the index takes
   * its time.
   */
  async function destroySecrets () {
    let isAny = false
    while (!stopping.aborted && (await blobs.destroySome() || await destroySome())) {
      isAny = true
      await nextTurn()
    }
    if (isAny) isCheckpointed = db.checkpoint()
  }

  /**
   * Seals what an older program kept open. Where there is no room for it, wiping goes on without, and it is tried again
   * the next time.
   */
  async function sealOld () {
    const hasUnsealed = async () => await db.read(() => index.hasUnsealed())
    const sealSome = async () => await blobs.sealSome() ||
      (await hasUnsealed() && await db.atomically(() => index.sealSome()))
    while (!isSealed && !stopping.aborted) {
      const more = await sealSome().catch(() => undefined)
      if (more === undefined) return
      isSealed = !more
      isCheckpointed &&= !more
      await nextTurn()
    }
  }

  /** Keeps the index in order until nothing is left to do, and forgets the trainings that are out of it. */
  async function tidy (slice: Slice) {
    let steps = index.upkeep()
    let isCommitted = true
    function * some () {
      // Only what was committed counts: what was rolled back and is run again begins from scratch.
      if (!isCommitted) steps = index.upkeep()
      isCommitted = false
      yield * db.afterwards(() => { isCommitted = true })
      const until = performance.now() + SLICE_MS
      while (!(yield * step(steps)).done) if (performance.now() > until) return true
      return false
    }
    while (await slice(some)) {
      // What was deleted since this began.
      if (await db.read(() => secrets.isAnyDoomed())) await destroySecrets()
      isCheckpointed = false
    }
    while (!stopping.aborted && await slice(() => index.forget()));
  }

  /** Wipes what was deleted in slices that hold nobody up, then checkpoints the WAL, which still has it. */
  async function wipe () {
    const slice = inSlices(db, stopping)
    await destroySecrets()
    await sealOld()
    while (!stopping.aborted && await isAnythingLeft()) {
      if (await db.read(() => secrets.isAnyDoomed())) await destroySecrets()
      isCheckpointed = false
      await tidy(slice)
      await blobs.sweep(SLICE_MS)
      await nextTurn()
    }
    // A backup that is reading may be in the way: then again a second later.
    if (!isCheckpointed && !stopping.aborted) isCheckpointed = db.checkpoint()
  }

  const removed = db.column("select 1 from trainings where state = 'removed' limit 1")
  const dropped = db.column("select 1 from blobs where state = 'dropped' limit 1")
  const isAnythingLeft = async () => {
    const isUntidy = index.isUntidy()
    return await db.read(function * () {
      const isDoomed = yield * secrets.isAnyDoomed()
      return isDoomed || (yield * removed.get()) === 1 || (yield * dropped.get()) === 1 || (yield * isUntidy)
    })
  }

  const begin = () => {
    wiping ??= wipe().catch((error) => onFault(error)).finally(() => { wiping = undefined })
    return wiping
  }
  const look = async () => { if (leads() && !wiping && (!isCheckpointed || await isAnythingLeft())) await begin() }
  const timer = setInterval(() => { look().catch(onFault) }, LOOK_MS)
  timer.unref()

  return {
    async stop () {
      stop.abort()
      clearInterval(timer)
      await wiping
    },
    async settled () {
      await wiping
      await begin()
    }
  }
}
