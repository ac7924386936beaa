import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { timeZoneNamed } from '../../business/index.ts'
import type { VisitorStore } from '../../conversations/index.ts'
import { hasConsented } from '../../privacy/index.ts'
import type { WidgetStore } from '../store.ts'
import type { VisitorCaller } from '../visitor.ts'

/** A name in any script, with a letter in it: `'s-Hertogenbosch`, `St. John's`, `Frankfurt am Main`. */
const PLACE = /^(?!\p{M})(?=.*\p{L})[\p{L}\p{M} .'-]{1,80}$/u

/**
 * The place named in a header, sent as UTF-8 or Latin-1, raw or percent-encoded (`%C3%B6`); undefined if it is not a
 * name. Each character of a header represents a byte.
 */
export function placeIn (sent: string): string | undefined {
  const plain = sent.replace(/%([\da-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  const bytes = Buffer.from(plain, 'latin1')
  const place = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').normalize('NFC').trim()
  return PLACE.test(place) ? place : undefined
}

/**
 * A visitor's place as reported by the proxy in front. Undefined if no trusted proxy forwarded the request: its only
 * address is then the connection's, and the client may have written the header itself.
 */
function placeOf ({ headers, ips = [] }: Pick<FastifyRequest, 'headers' | 'ips'>, header: string): string | undefined {
  const sent = headers[header.toLowerCase()]
  return ips.length > 1 && typeof sent === 'string' ? placeIn(sent) : undefined
}

/** Dependencies of learning where visitors are. */
interface WhereaboutsNeeds {
  store: Pick<WidgetStore, 'face'>
  visitors: Pick<VisitorStore, 'get' | 'update'>
  /** The header in which a proxy reports a visitor's place; empty: none. */
  cityHeader: string
}

/**
 * Stores a visitor's place and time zone, if a request reports them and they changed; not for visitors who have yet to
 * agree to the privacy notice.
 */
export function learningWhereabouts ({ store, visitors, cityHeader }: WhereaboutsNeeds) {
  return async ({ owner, agent, id }: VisitorCaller, request: FastifyRequest, written = '') => {
    const place = placeOf(request, cityHeader)
    const zone = timeZoneNamed(written)
    const told = { ...(place && { place }), ...(zone && { time_zone: zone }) }
    if (Object.keys(told).length === 0) return
    const kept = await visitors.get(owner, id)
    if (!kept || isKnown(kept, told)) return
    const face = await store.face(owner, agent)
    if (face && hasConsented(face, kept)) await visitors.update(owner, id, (before) => ({ ...before, ...told }))
  }
}

type Whereabouts = Partial<Record<'place' | 'time_zone', string | null>>

function isKnown (kept: Whereabouts, { place = kept.place, time_zone: zone = kept.time_zone }: Whereabouts): boolean {
  return place === kept.place && zone === kept.time_zone
}
