/** Streams that one visitor may have open: tabs, and those that a broken line has left behind. */
export const SEATS_OF_VISITOR = 6
/** Streams of one address block: an office full of people, and a part of the connections that a server takes. */
export const SEATS_OF_BLOCK = 250

/**
 * Gives each stream of a name a seat, `most` at a time; whoever takes one too many takes that of the oldest.
 */
export function openSeats (most: number) {
  const taken = new Map<string, symbol[]>()
  return function take (name: string) {
    const mine = Symbol(name)
    taken.set(name, [...taken.get(name) ?? [], mine].slice(-most))
    return {
      isMine: () => taken.get(name)?.includes(mine) ?? false,
      leave () {
        const left = taken.get(name)?.filter((one) => one !== mine) ?? []
        if (left.length > 0) taken.set(name, left)
        else taken.delete(name)
      }
    }
  }
}
