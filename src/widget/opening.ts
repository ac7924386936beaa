import type { Id } from '../../schema/common.ts'
import type { Clock } from '../platform/clock.ts'

/** How long an agent's suggestions are cached: as long as browsers cache a widget's settings. */
const KEPT_MICROS = 5 * 60 * 1e6
/**
 * Shorter if there are none: users who have just taught the agent look at once and should not find nothing that long.
 */
const NOTHING_KEPT_MICROS = 5 * 1e6
/** Maximum number of agents and languages cached. */
const REMEMBERED = 500

/** Suggested openings for an agent's visitors, in a language; see Topics. Requested by every page with a widget. */
export type Openings = (agent: Id, language: string) => Promise<string[]>

/** Caches what was read. */
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
