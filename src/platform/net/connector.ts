import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { isPublic, plainHost } from './address.ts'
import type { hostList } from './address.ts'
import { addressRefused } from './egress-error.ts'

/** Resolves a host name to all its IP addresses. */
export type Lookup = (hostname: string) => Promise<Array<{ address: string, family: number }>>

/** What a connection is checked against. */
interface Rules {
  /** Whether the operator allowed a host, wherever it may be. */
  isOpen: ReturnType<typeof hostList>
  lookup: Lookup
  /** Milliseconds until a connection must be established. */
  timeout: number
}

/** Node's sockets know it, undici's types do not: a connection that nobody reads is not read ahead, see paced(). */
const NOT_AHEAD = { highWaterMark: 1 }

/**
 * Every connection is made here, also those of redirects: an IP address is checked as it is, a name by all addresses it
 * resolves to, and the socket goes to just these. Nothing is resolved twice, so nothing can change in between.
 * Connecting fails with `address_refused` if any address is not on the public internet.
 */
export function guardedConnector (connector: typeof buildConnector, rules: Rules): buildConnector.connector {
  const { isOpen, lookup, timeout } = rules
  const resolving =
    (check: (addresses: string[], hostname: string) => void): LookupFunction =>
      (hostname, _options, done) => {
        lookup(hostname)
          .then((found) => {
            check(
              found.map(({ address }) => address), hostname
            )
            done(null, found)
          })
          .catch((error) => done(error, []))
      }
  const connecting = (check: (addresses: string[], hostname: string) => void) =>
    // autoSelectFamily makes the socket request all addresses, which is the only form that resolving() answers in.
    connector({ allowH2: false, timeout, autoSelectFamily: true, lookup: resolving(check), ...NOT_AHEAD })
  const anywhere = connecting(() => {})
  const publicly = connecting(onlyPublic)

  return (options, connected) => {
    const host = plainHost(options.hostname)
    const port = options.port || (options.protocol === 'https:' ? '443' : '80')
    if (isOpen(host, port)) return anywhere(options, connected)
    // A socket never looks up an IP address, so the lookup alone would let these through.
    if (isIP(host) && !isPublic(host)) return queueMicrotask(() => connected(addressRefused(host), null))
    publicly(options, connected)
  }
}

/** One private address among several is enough to refuse: mixed answers are how DNS rebinding begins. */
function onlyPublic (addresses: string[], hostname: string): void {
  if (!addresses.every(isPublic)) throw addressRefused(hostname)
}
