import type { Writable } from 'node:stream'
import type { FastifyRequest } from 'fastify'

/** The boundary of a form, as its header names it. */
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i

/** A form has more parts than it may have. */
class TooManyParts extends Error {
  readonly code = 'FST_PARTS_LIMIT'
}

/**
 * Ends the reading of a form as soon as it holds more boundaries than `most` parts have. The parser itself tells only
 * once it has made a part of each that came together: of 100 KB of boundaries 20,000. To be called before it is read.
 */
export function limitBoundaries (request: FastifyRequest, most: number) {
  const { raw } = request
  const [, quoted, plain] = BOUNDARY.exec(request.headers['content-type'] ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return
  const mark = Buffer.from(`\r\n--${boundary}`)
  const pipe = raw.pipe
  raw.pipe = (to, options) => {
    raw.pipe = pipe
    // In front of the parser, which then gets nothing of what is too much.
    raw.on('data', watching(mark, most, to as unknown as Writable))
    return raw.pipe(to, options)
  }
}

/** Counts marks in what comes piece by piece, and ends the parser when there are more than `most`. */
function watching (mark: Buffer, most: number, parser: Writable) {
  let found = 0
  // What may be the beginning of one, from the piece before.
  let rest = Buffer.alloc(0)
  return (piece: Buffer) => {
    const ends = Buffer.concat([rest, piece.subarray(0, mark.length - 1)])
    if (ends.includes(mark)) found++
    for (let at = piece.indexOf(mark); at !== -1 && found <= most; at = piece.indexOf(mark, at + mark.length)) found++
    if (found > most) parser.destroy(new TooManyParts('The form has too many parts.'))
    rest = Buffer.from(piece.subarray(-(mark.length - 1)))
  }
}
