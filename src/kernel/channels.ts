import type { Sender } from '../platform/work/outbox.ts'
import type { Channels } from './contract.ts'

/** See Channels. Each has one sender. */
export function openChannels (): Channels {
  const senders = new Map<string, Sender>()
  return {
    sendBy (channel, sender) {
      if (senders.has(channel)) throw new Error(`Two senders for the channel ${channel}`)
      senders.set(channel, sender)
    },
    senderOf: (channel) => senders.get(channel)
  }
}
