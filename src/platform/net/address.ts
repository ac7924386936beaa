import { BlockList, isIP } from 'node:net'
import { lazily } from '../lazily.ts'

/** What is not the public internet: this machine, private and shared networks, link-local (cloud metadata), multicast, and IPv6 that wraps IPv4. */
const NETWORKS = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4',
  // An IPv4-mapped address needs no line of its own: it matches the rule of the IPv4 address inside it. A line
  // ::ffff:0:0/96 would make BlockList refuse every IPv4 address there is.
  '::/96', '::1/128', '64:ff9b::/96', '2001::/32', '2002::/16', 'fc00::/7', 'fe80::/10', 'ff00::/8'
]

const refused = lazily(() => {
  const list = new BlockList()
  for (const [network = '', prefix] of NETWORKS.map((line) => line.split('/'))) {
    list.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
})

/** Whether an IP address lies outside the public internet. What is no IP address at all counts as outside. */
export function isPrivate (address: string): boolean {
  const family = isIP(address)
  return family === 0 || refused().check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Reads an address as it will be connected to, relative to `base` where there is one; undefined unless it is http(s) without a user name. */
export function readAddress (text: string, base?: URL): URL | undefined {
  const url = URL.parse(text, base)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  return url.username || url.password ? undefined : url
}

/**
 * Reads the list of hosts an operator opened: each `host` (every port) or `host:port`, by name or IP address, exact.
 * Returns whether a host, spelt as `URL` spells it, is among them. Throws an Error naming an entry it cannot read.
 */
export function hostList (entries: readonly string[]): (hostname: string, port: string) => boolean {
  const open = new Set(entries.map((entry) => {
    const [, host = entry, port = '*'] = /^(\[.*\]|[^:]*):(\d{1,5})$/.exec(entry) ?? []
    const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`)
    if (!url || url.href !== `http://${url.hostname}/` || !/^[\w.:[\]-]+$/.test(url.hostname)) throw new Error(`"${entry}" is no host and no host:port`)
    return `${plainHost(url.hostname)} ${port}`
  }))
  return (hostname, port) => open.has(`${plainHost(hostname)} ${port}`) || open.has(`${plainHost(hostname)} *`)
}

/** A host without the brackets of an IPv6 address and without the dot that ends a full name. */
export function plainHost (hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
