/**
 * A text that grows piece by piece, hundreds of which are written at once. Appending to a string and reading its end
 * each time would copy all of it with every piece; here the latest addition is read without the rest.
 */
export class Written {
  /** The first may be many that were read as one. */
  #pieces: string[] = []
  #length = 0

  /** In UTF-16 units. */
  get length () { return this.#length }

  add (piece: string) {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** All of it. */
  whole (): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')]
    return this.#pieces[0] ?? ''
  }

  /** The text after this many units. */
  after (units: number): string {
    let first = this.#pieces.length
    let start = this.#length
    while (start > units && first > 0) start -= this.#pieces[--first]!.length
    return this.#pieces.slice(first).join('').slice(units - start)
  }
}
