import t from 'tap'
import { move, type Cell, type Source, type Table, type Target } from '../../src/platform/storage/moving/move.ts'

const HATS: Table = {
  name: 'hats', columns: [{ name: 'id', type: 'integer' }, { name: 'brim', type: 'text' }], key: ['id']
}

/** In-memory tables. */
function inMemory (tables: Table[], rows: Cell[][]): Source & { rows (table: Table): AsyncIterable<Cell[][]> } {
  return {
    tables: async () => tables,
    async * rows () {
      for (const row of rows) yield [row]
    },
    given: async () => new Map([['hats', 9]])
  }
}

/** The same to move to; `spoilt` is what becomes of a row there. */
function target (tables: Table[], spoilt: (row: Cell[]) => Cell[][] = (row) => [row]) {
  const kept: Cell[][] = []
  const given: Array<[string, number]> = []
  const there: Target = {
    ...inMemory(tables, kept),
    kept: (cell) => cell === 'x' ? 'y' : cell,
    async write (_table, rows) { kept.push(...rows.flatMap(spoilt)) },
    async give (numbers) { given.push(...numbers) }
  }
  return { there, kept, given }
}

const rows: Cell[][] = [[1, 'wide'], [2, null], [3, 'x'], [4, Buffer.from([0, 255])], [5, 1.5]]
const told: unknown[] = []
const moved = async (there: Target, from = inMemory([HATS], rows)) => await move(from, there, (one) => told.push(one))

t.test('rows arrive as they can be kept, and what they come to is the same on both sides', async (t) => {
  const { there, kept, given } = target([HATS])
  const [one] = await moved(there)
  t.match(one, { table: 'hats', rows: 5, sum: /^[\da-f]{16}$/ })
  t.strictSame(told, [one])
  t.strictSame(kept, [...rows.slice(0, 2), [3, 'y'], ...rows.slice(3)])
  t.strictSame(given, [['hats', 9]])
})

t.test('a row that is lost, doubled or changed on its way is seen', async (t) => {
  const spoilt: Record<string, (row: Cell[]) => Cell[][]> = {
    lost: (row) => row[0] === 2 ? [] : [row],
    doubled: (row) => row[0] === 2 ? [row, row] : [row],
    changed: ([id, brim]) => [[id!, brim === null ? '' : brim!]],
    'another kind': ([id, brim]) => [[id!, brim === 1.5 ? '1.5' : brim!]]
  }
  for (const [what, spoil] of Object.entries(spoilt)) {
    await t.rejects(moved(target([HATS], spoil).there), { code: 'internal_error', message: /5 rows were read and \d arrived, or with other contents/ }, what)
  }
})

t.test('tables that are not the same on both sides are not moved', async (t) => {
  await t.rejects(moved(target([]).there), { message: /no table hats/ })
  const narrow = { ...HATS, columns: HATS.columns.slice(0, 1) }
  await t.rejects(moved(target([narrow]).there), { message: /different columns/ })
  await t.rejects(moved(target([{ ...HATS, columns: [HATS.columns[0]!, { name: 'top', type: 'text' }] }]).there), { message: /different columns/ })
})
