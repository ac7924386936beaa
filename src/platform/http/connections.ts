import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'

/** Why a connection was not taken: the server's limit, or that of its address. */
export type ConnectionRefusal = 'server' | 'address'

/** Limits on connections. */
interface ConnectionLimits {
  /** In total. */
  most: number
  /** From one address; 0: no limit. */
  perAddress: number
  /** What counts as one address. */
  blockOf: (address: string) => string
  /** Called for every connection that was not accepted. */
  onRefused: (why: ConnectionRefusal) => void
}

/** Connections above the limits that may be open at the same time to be answered; more are dropped at once. */
const MAX_REFUSED = 64
/** Milliseconds within which such a connection must send its one request. */
const REFUSED_MS = 5000

/**
 * Counts connections, and marks those above the limits. A reset tells a client nothing, so they are read and answered
 * once, by `refuseConnection`. The address is the socket's: a header can claim anything. Returns whether a connection
 * is above a limit.
 */
export function limitConnections (
  server: Server, { most, perAddress, blockOf, onRefused }: ConnectionLimits
): (socket: Socket) => boolean {
  const open = new Map<string, number>()
  const refused = new Set<Socket>()
  let taken = 0
  server.maxConnections = most + MAX_REFUSED
  server.on('drop', () => onRefused('server'))
  server.on('connection', (socket: Socket) => {
    const block = blockOf(socket.remoteAddress ?? '')
    const fromBlock = open.get(block) ?? 0
    if (taken >= most) return refuse(socket, 'server')
    if (perAddress > 0 && fromBlock >= perAddress) return refuse(socket, 'address')
    taken++
    open.set(block, fromBlock + 1)
    socket.once('close', () => {
      taken--
      const left = open.get(block)! - 1
      if (left) open.set(block, left)
      else open.delete(block)
    })
  })

  function refuse (socket: Socket, why: ConnectionRefusal) {
    onRefused(why)
    if (refused.size >= MAX_REFUSED) {
      socket.destroy()
      return
    }
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      refused.delete(socket)
    })
  }

  return (socket) => refused.has(socket)
}

/** Answers the one request of a connection above the limits; throws `unavailable`. */
export function refuseConnection (request: FastifyRequest, reply: FastifyReply): never {
  reply.header('connection', 'close').header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
  throw new Refusal('unavailable', 'Too many connections are open; close some, or try again in a few seconds.', {
    headers: { 'retry-after': '5' }
  })
}
