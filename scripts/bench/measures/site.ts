import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A website in a process of its own, made to cost whoever reads it as much as it can:
 *
 *   /base/N            2,000 links of a few characters each, under a base of 1,900 characters: 4 MB of addresses
 *   /long/N            1,000 links of 1,900 characters each, others on each page
 *   /map/sitemap.xml   1 MB with addresses of 1,900 characters
 */
const LINKS = 2000
const LONG = 1900

const filler = (length: number, seed: string | number) => `${seed}-`.padEnd(length, 'abcdefghij')
const words = (page: number) =>
  `<main><h1>Page ${page}</h1><p>Everything that there is to say about number ${page}, in a sentence that is long ` +
  'enough to be read.</p></main>'
const links = (count: number, hrefOf: (n: number) => string) =>
  Array.from({ length: count }, (_none, n) => `<a href="${hrefOf(n)}">${n}</a>`).join('\n')

function page (kind: string, of: number): string {
  const body = `<title>Page ${of}</title>${words(of)}`
  if (kind === 'base') return `<base href="/base/${filler(LONG, 'x')}/">${body}${links(LINKS, (n) => String((of + n) % LINKS))}`
  if (kind === 'long') return body + links(LINKS / 2, (n) => `/long/${filler(LONG, `${of}x${n}`)}`)
  return body
}

function sitemap (origin: string): string {
  const listed = Array.from({ length: 520 }, (_none, n) => `<url><loc>${origin}/map/${filler(LONG, n)}</loc></url>`)
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed.join('\n')}</urlset>`
}

const server = createServer(({ url = '/', headers: { host } }, reply) => {
  if (url === '/robots.txt') return reply.writeHead(404, { 'content-type': 'text/plain' }).end()
  if (url === '/map/sitemap.xml') {
    return reply.writeHead(200, { 'content-type': 'application/xml' }).end(sitemap(`http://${host}`))
  }
  const [, kind = ''] = url.split('/')
  const of = /(\d+)(?:-[^/]*)?$/.exec(url)
  reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(kind, Number(of?.[1] ?? 0)))
})

process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => { process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) })
