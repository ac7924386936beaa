import { isIP } from 'node:net'
import { hostList, isPublic, plainHost, readAddress } from './address.ts'

/** A name as allowed in DNS: `URL` accepts more, such as `((` or one of 2,000 letters, which no program can look up. */
const NAME = /^(?=.{1,253}$)[\w-]{1,63}(?:\.[\w-]{1,63}){0,126}$/

/**
 * Checks addresses that people enter for us to send to. Returns why one cannot be sent to, in a sentence that begins
 * with its field name; undefined if it is acceptable. Names are looked up when something is sent, and refused then.
 * `allowedHosts`: hosts that may be private.
 */
export function outsideOnly (allowedHosts: readonly string[]): (what: string, address: string) => string | undefined {
  const isOpen = hostList(allowedHosts)
  return (what, address) => {
    const url = readAddress(address)
    const host = url && plainHost(url.hostname)
    if (!url || !host || !(isIP(host) !== 0 || NAME.test(host))) return `${what} is not a valid address: use https:// and a host, without a user name.`
    const port = url.port || (url.protocol === 'https:' ? '443' : '80')
    const isPrivate = host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && !isPublic(host))
    return isPrivate && !isOpen(url.hostname, port)
      ? `${what} is not on the public internet. Use a public address, or ask the operator to open that host (AGENTHALL_ALLOWED_HOSTS).`
      : undefined
  }
}

/** The code of an objection by `outsideOnly` to an address, for programs that word it themselves. */
export const addressCode = (fault: string) =>
  fault.includes('is not on the public internet') ? 'host_private' : 'address_unreadable'
