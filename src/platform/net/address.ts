import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The only part of IPv6 from which addresses for the public internet have been given out. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address is on the public internet: none of the ranges that the IANA registries set aside for anything
 * else (this machine, private networks, documentation, multicast, IPv4 wrapped in IPv6 …), as listed in ipaddr.js.
 * False for anything but an IP address.
 */
export function isPublic (address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST)
}

/**
 * An IPv4 address, or the /64 an IPv6 address is in: one customer's line has all of it. Some proxies add a port.
 * All invalid addresses share one block; otherwise each made-up one would be counted separately.
 */
export function addressBlock (from: string): string {
  const ip = from.replace(/^\[([^\]]*)\](?::\d+)?$|^([^:]*):\d+$/, '$1$2')
  if (isIP(ip) === 0) return 'no address'
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return address.parts.slice(0, 4).map((part) => part.toString(16)).join(':')
}

/**
 * Parses an address as it will be connected to, relative to `base` if given; undefined unless it is http(s) without a
 * user name.
 */
export function readAddress (text: string, base?: URL): URL | undefined {
  const url = URL.parse(text, base)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  return url.username || url.password ? undefined : url
}

/**
 * Parses the list of hosts an operator opened: each `host` (every port) or `host:port`, by name or IP address, exact.
 * Returns whether a host, spelt as `URL` spells it, is among them. Throws an Error naming an entry it cannot read.
 */
export function hostList (entries: readonly string[]): (hostname: string, port: string) => boolean {
  const open = new Set(entries.map((entry) => {
    const [, host = entry, port = '*'] = /^(\[.*\]|[^:]*):(\d{1,5})$/.exec(entry) ?? []
    const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`)
    if (!url || url.href !== `http://${url.hostname}/` || !/^[\w.:[\]-]+$/.test(url.hostname)) {
      throw new Error(`"${entry}" is neither a host nor host:port`)
    }
    return `${plainHost(url.hostname)} ${port}`
  }))
  return (hostname, port) => open.has(`${plainHost(hostname)} ${port}`) || open.has(`${plainHost(hostname)} *`)
}

/** A host without the brackets of an IPv6 address and without the trailing dot of a full name. */
export function plainHost (hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
