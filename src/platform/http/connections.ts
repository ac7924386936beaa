import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Why a connection was not taken: the server's limit, or that of its address. */
export type ConnectionRefusal = 'server' | 'address'

/** How many connections are taken. */
interface ConnectionLimits {
  /** From everybody together. */
  most: number
  /** From one address; 0: no limit. */
  perAddress: number
  /** What counts as one address. */
  blockOf: (address: string) => string
  /** Told of every connection that was not taken. */
  onRefused: (why: ConnectionRefusal) => void
}

/**
 * Hangs up on connections above the limits, before a byte of them is read. The address is the socket's: what a header
 * claims costs nothing to invent.
 */
export function limitConnections (server: Server, { most, perAddress, blockOf, onRefused }: ConnectionLimits) {
  const open = new Map<string, number>()
  server.maxConnections = most
  server.on('drop', () => onRefused('server'))
  if (perAddress === 0) return
  server.on('connection', (socket: Socket) => {
    const block = blockOf(socket.remoteAddress ?? '')
    const count = (open.get(block) ?? 0) + 1
    open.set(block, count)
    socket.once('close', () => {
      const left = open.get(block)! - 1
      if (left) open.set(block, left)
      else open.delete(block)
    })
    if (count <= perAddress) return
    onRefused('address')
    socket.destroy()
  })
}
