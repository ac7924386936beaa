import type { Id } from '../../schema/common.ts'
import type { Clock } from '../platform/clock.ts'

/** How long what an agent suggests stands before it is read anew: as long as a browser keeps how a widget looks. */
const KEPT_MICROS = 5 * 60 * 1e6
/** Whoever has just taught it looks at once, and is not to find nothing for so long. */
const NOTHING_KEPT_MICROS = 5 * 1e6
/** Agents and languages that are remembered. */
const REMEMBERED = 500

/** What visitors of an agent may begin with, in a language; see Topics. Every page that shows a widget asks. */
export type Openings = (agent: Id, language: string) => Promise<string[]>

/** Remembers what was read. */
export function rememberedOpenings (read: Openings, clock: Clock): Openings {
  const known = new Map<string, { until: number, found: string[] }>()
  return async (agent, language) => {
    const name = `${agent} ${language}`
    const remembered = known.get(name)
    const now = clock.micros()
    if (remembered && now < remembered.until) return remembered.found
    if (known.size >= REMEMBERED) known.clear()
    const found = await read(agent, language)
    known.set(name, { until: now + (found.length > 0 ? KEPT_MICROS : NOTHING_KEPT_MICROS), found })
    return found
  }
}
