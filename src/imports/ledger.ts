/** The result of importing a part of the file. */
export const OUTCOMES = ['carried', 'changed', 'not_carried', 'ignored'] as const

/** A line of the report: a part of the file, the result, and why; `value`: what is lost otherwise. */
export interface Item {
  at: string
  outcome: typeof OUTCOMES[number]
  /** Where it is now. */
  to?: string
  /** Why it was changed, and what to do about it. */
  why?: string
  value?: unknown
}

const NOTHING_LIKE_IT = 'An agent has nothing like it. It is listed here in full, for you to keep.'

/**
 * Builds the report. Anything a reader does not settle is reported: `finish` walks the whole value and lists each text
 * without a result, so that every text of a file is in an agent, in a source or in the report.
 */
export class Ledger {
  readonly items: Item[] = []
  #settled = new Set<string>()
  #unpacked = new Map<string, unknown>()

  /** The value of a file as parts that know their paths. */
  open (name: string, value: unknown): Part {
    return new Part(this, name, value)
  }

  /** Treats the text at a path as the JSON value that it contains. */
  unpack (at: string, value: unknown) {
    this.#unpacked.set(at, value)
  }

  note (item: Item) {
    this.items.push(item)
    this.#settled.add(item.at)
  }

  isSettled (at: string): boolean {
    return this.#settled.has(at)
  }

  /** Lists everything unsettled. */
  finish (name: string, value: unknown) {
    const waiting: Array<[string, unknown]> = [[name, value]]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [at, given] = next
      if (this.#settled.has(at)) continue
      const one = this.#unpacked.get(at) ?? given
      if (typeof one === 'object' && one !== null) {
        const inside = Object.entries(one).map(([key, value]): [string, unknown] => [`${at}/${key}`, value])
        for (let i = inside.length - 1; i >= 0; i--) waiting.push(inside[i]!)
      } else if (typeof one === 'string' && one.trim()) {
        this.note({ at, outcome: 'not_carried', why: NOTHING_LIKE_IT, value: one })
      }
    }
  }
}

/** A part of a file: a value and its path. All properties of a missing part are undefined. */
export class Part {
  readonly #ledger: Ledger
  readonly at: string
  readonly value: unknown

  constructor (ledger: Ledger, at: string, value: unknown) {
    this.#ledger = ledger
    this.at = at
    this.value = value
  }

  get (...keys: string[]): Part {
    return keys.reduce((part: Part, key) => {
      const { value } = part
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      return new Part(this.#ledger, `${part.at}/${key}`, isThere ? (value as Record<string, unknown>)[key] : undefined)
    }, this)
  }

  /** The parts of a list; none for anything else. */
  list (): Part[] {
    return Array.isArray(this.value) ? this.value.map((_one, i) => this.get(String(i))) : []
  }

  /** The JSON parsed from its text; the part itself if it is none. */
  json (): Part {
    try {
      const value: unknown = JSON.parse(this.text)
      if (typeof value !== 'object' || value === null) return this
      this.#ledger.unpack(this.at, value)
      return new Part(this.#ledger, this.at, value)
    } catch {
      return this
    }
  }

  get text (): string {
    return typeof this.value === 'string' ? this.value : ''
  }

  /** A string, or a number as one: an id or a version. Not an object: its contents could break the conversion. */
  get label (): string {
    return typeof this.value === 'number' ? String(this.value) : this.text
  }

  carried (to: string, why?: string) {
    this.#ledger.note({ at: this.at, outcome: 'carried', to, ...(why !== undefined && { why }) })
  }

  /** It became `to`, with changes; the report contains the original. */
  changed (to: string, why: string) {
    this.#ledger.note({ at: this.at, outcome: 'changed', to, why, value: this.value })
  }

  dropped (why: string) {
    if (this.value !== undefined) this.#ledger.note({ at: this.at, outcome: 'not_carried', why, value: this.value })
  }

  ignored (why: string) {
    if (this.value !== undefined) this.#ledger.note({ at: this.at, outcome: 'ignored', why, value: this.value })
  }

  /** A text of at most `most` characters for a field; undefined if there is none. */
  take (to: string, most: number): string | undefined {
    const { text } = this
    if (!text.trim()) return undefined
    const cut = text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') : text
    if (cut !== text) this.changed(to, `It was cut to ${most.toLocaleString('en')} characters, the most that it may have.`)
    else this.carried(to, placeholders(text))
    return cut
  }

  /** A number from `least` to `most`, or a string of one, clamped to that range. */
  number (to: string, least: number, most: number): number | undefined {
    const value = this.text.trim() ? Number(this.text) : this.value
    if (typeof value !== 'number' || Number.isNaN(value)) return undefined
    const moved = Math.min(most, Math.max(least, value))
    if (moved === this.value) this.carried(to)
    else if (moved === value) this.changed(to, 'It was written as a text.')
    else this.changed(to, `It may be from ${least} to ${most}.`)
    return moved
  }
}

/** Reports placeholders in a text: nothing fills them in here. */
function placeholders (text: string): string | undefined {
  const found = [...new Set(text.match(/\{\{[^{}\n]{1,80}\}\}|\{\w{1,40}\}/g))]
  if (found.length === 0) return undefined
  return `${found.slice(0, 50).join(', ')} stayed as written and nothing fills it in: write what it stands for.`
}
