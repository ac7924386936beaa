import t from 'tap'
import { isPublic } from '../../../src/platform/net/address.ts'
import { egress } from '../../../src/platform/net/egress.ts'
import type { Lookup } from '../../../src/platform/net/egress.ts'
import { serve } from './serve.ts'

/**
 * What the IANA registries of special-purpose addresses do not call globally reachable, with other entries there that
 * are not on the public internet either: the first and the last address of each range.
 */
const REFUSED: Record<string, [first: string, last: string]> = {
  '0.0.0.0/8': ['0.0.0.0', '0.255.255.255'],
  '10.0.0.0/8': ['10.0.0.0', '10.255.255.255'],
  '100.64.0.0/10': ['100.64.0.0', '100.127.255.255'],
  '127.0.0.0/8': ['127.0.0.0', '127.255.255.255'],
  '169.254.0.0/16': ['169.254.0.0', '169.254.255.255'],
  '172.16.0.0/12': ['172.16.0.0', '172.31.255.255'],
  '192.0.0.0/24': ['192.0.0.0', '192.0.0.255'],
  '192.0.2.0/24 (documentation)': ['192.0.2.0', '192.0.2.255'],
  '192.88.99.0/24 (6to4 relays)': ['192.88.99.0', '192.88.99.255'],
  '192.168.0.0/16': ['192.168.0.0', '192.168.255.255'],
  '198.18.0.0/15 (benchmarking)': ['198.18.0.0', '198.19.255.255'],
  '198.51.100.0/24 (documentation)': ['198.51.100.0', '198.51.100.255'],
  '203.0.113.0/24 (documentation)': ['203.0.113.0', '203.0.113.255'],
  '224.0.0.0/4 (multicast)': ['224.0.0.0', '239.255.255.255'],
  '240.0.0.0/4 (reserved, broadcast)': ['240.0.0.0', '255.255.255.255'],
  '::/128, ::1/128': ['::', '::1'],
  '::/96 (IPv4 inside)': ['::8.8.8.8', '::ffff:ffff'],
  '::ffff:0:0/96 (IPv4-mapped)': ['::ffff:8.8.8.8', '::ffff:255.255.255.255'],
  '::ffff:0:0:0/96 (IPv4-translated)': ['::ffff:0:8.8.8.8', '::ffff:0:ffff:ffff'],
  '64:ff9b::/96 (IPv4 inside)': ['64:ff9b::8.8.8.8', '64:ff9b::ffff:ffff'],
  '64:ff9b:1::/48 (IPv4 inside)': ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  '100::/64 (discard)': ['100::', '100::ffff:ffff:ffff:ffff'],
  '100:0:0:1::/64 (dummy)': ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  '2001::/23 (protocols, Teredo)': ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:2::/48 (benchmarking)': ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  '2001:10::/28 (ORCHID)': ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:db8::/32 (documentation)': ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2002::/16 (6to4)': ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '3fff::/20 (documentation)': ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '4000::/2, 8000::/1 (never given out)': ['4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '5f00::/16 (segment routing)': ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fc00::/7 (unique local)': ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fe80::/10 (link-local)': ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fec0::/10 (site-local)': ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'ff00::/8 (multicast)': ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'with a zone': ['fe80::1%eth0', '2606:4700::1111%']
}

/** Their neighbours, which are public. */
const PUBLIC = [
  '1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0',
  '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0', '192.88.98.255',
  '192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0',
  '203.0.112.255', '203.0.114.0', '223.255.255.255', '8.8.8.8', '2000::', '2001:200::', '2001:db7:ffff::',
  '2001:db9::', '2003::', '2606:4700::1111', '3ffe:ffff::', '3fff:1000::'
]

/** The ranges to which a connection was possible before, and one for each way of wrapping IPv4. */
const ADDRESSES = Object.values(REFUSED).flat().filter((address) => !address.includes('%'))

const bracketed = (address: string) => address.includes(':') ? `[${address}]` : address
const family = (address: string) => address.includes(':') ? 6 : 4

t.test('every range that IANA does not call global is refused, and its neighbours are not', async (t) => {
  // Was wrong for fec0::/10, 64:ff9b:1::/48, ::ffff:0:0/96, 192.88.99.0/24, 100::/64 and the documentation ranges.
  for (const [range, ends] of Object.entries(REFUSED)) {
    for (const address of ends) t.notOk(isPublic(address), `${range}: ${address}`)
  }
  for (const address of PUBLIC) t.ok(isPublic(address), address)
  for (const nonsense of [
    '', 'localhost', '8.8.8', '8.8.8.8.8', '0x8.8.8.8', '010.8.8.8', '8.8.8.8/8', '2606:4700', '[2606:4700::1]'
  ]) {
    t.notOk(isPublic(nonsense), `"${nonsense}" is no address`)
  }
})

t.test('no special range is reached by its address, by a name that resolves there, or by a redirect', async (t) => {
  // Was wrong with the ranges named above: `unreachable` or `timeout`, after an attempt to connect.
  const open = await serve(t, (request, reply) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to') ?? ''
    reply.writeHead(302, { location: to }).end()
  })
  const lookup: Lookup = async (hostname) => {
    const address = ADDRESSES[Number(/^n(\d+)\./.exec(hostname)?.[1])] ?? '127.0.0.1'
    return [{ address, family: family(address) }]
  }
  const out = egress({
    allowedHosts: [`public.test:${open.port}`], userAgent: 'x', lookup, limits: { headersMs: 15_000, totalMs: 30_000 }
  })
  t.teardown(() => out.close())
  const code = async (address: string) =>
    await out.fetch(address, { maxBytes: 10 }).then(
      () => 'none', ({ code }) => code
    )
  for (const [index, address] of ADDRESSES.entries()) {
    const plain = `http://${bracketed(address)}:9/`
    t.equal(await code(plain), 'address_refused', address)
    t.equal(await code(`http://n${index}.test:9/`), 'address_refused', `a name for ${address}`)
    t.equal(
      await code(`http://public.test:${open.port}/?to=${encodeURIComponent(plain)}`),
      'address_refused',
      `a redirect to ${address}`
    )
    const limits = { firstByteMs: 15_000, silenceMs: 15_000, totalMs: 30_000 }
    const streamed = await out.stream(plain, { maxBytes: 10, limits }).then(() => 'none', ({ code }) => code)
    t.equal(streamed, 'address_refused', `a stream from ${address}`)
  }
})
