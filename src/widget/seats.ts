/** Streams that one visitor may have open: tabs, and those that a broken line has left behind. */
const MOST = 6

/** Gives each stream of a visitor a seat; whoever takes one too many takes that of the oldest. */
export function openSeats () {
  const taken = new Map<string, symbol[]>()
  return function take (visitor: string) {
    const mine = Symbol(visitor)
    taken.set(visitor, [...taken.get(visitor) ?? [], mine].slice(-MOST))
    return {
      isMine: () => taken.get(visitor)?.includes(mine) ?? false,
      leave () {
        const left = taken.get(visitor)?.filter((one) => one !== mine) ?? []
        if (left.length > 0) taken.set(visitor, left)
        else taken.delete(visitor)
      }
    }
  }
}
