import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A proxy to a service of this machine that can be cut, or silenced. */
export async function proxyTo (t: Pick<Test, 'teardown'>, address: string) {
  let to = new URL(address)
  const open = new Set<Socket>()
  let isCut = false
  let isHung = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(Number(to.port), to.hostname)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => { open.delete(socket) })
      if (isHung) socket.pause()
    }
    near.pipe(far)
    far.pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const way = new URL(address)
  way.port = String((server.address() as AddressInfo).port)
  return {
    address: way.href,
    cut () {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    hang () {
      isHung = true
      for (const socket of open) socket.pause()
    },
    /** Forwards to another place from now on, like an address that a replica takes over. */
    turn (other: string) {
      to = new URL(other)
      for (const socket of open) socket.destroy()
    },
    mend () {
      isCut = isHung = false
      // Responses that arrive meanwhile are discarded: their callers have given up.
      for (const socket of open) socket.destroy()
    }
  }
}
