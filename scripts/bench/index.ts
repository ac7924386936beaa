import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { acting } from './measures/acting.ts'
import { answers } from './measures/answers.ts'
import { conversations } from './measures/conversations.ts'
import { crawling } from './measures/crawling.ts'
import { creates } from './measures/creates.ts'
import { deleting } from './measures/deleting.ts'
import { engines } from './engines.ts'
import { handoffs } from './measures/handoffs.ts'
import { people } from './measures/people.ts'
import { growth } from './measures/growth.ts'
import { knowledge } from './measures/knowledge.ts'
import { odd } from './measures/odd.ts'
import { large } from './measures/large.ts'
import { reads } from './measures/reads.ts'
import { table, type Line, type Thoroughness } from './report.ts'
import { starting } from './measures/starting.ts'
import { web } from './measures/web.ts'

const BENCHES: Record<string, (how: Thoroughness) => Promise<Line[]>> = {
  reads,
  creates,
  growth,
  large,
  starting,
  knowledge,
  crawling,
  odd,
  deleting,
  answers,
  acting,
  people,
  conversations,
  engines,
  handoffs,
  web
}

/** `--quick`: a first impression in about two minutes. `--only NAME`, repeatable: only these. */
const { values: { quick, only, others, filled } } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Agents besides the full one that is searched, and MiB of text in each. */
    others: { type: 'string', default: '20' },
    filled: { type: 'string', default: '30' },
    only: { type: 'string', multiple: true, default: Object.keys(BENCHES) }
  }
})
const unknown = only.filter((name) => !(name in BENCHES))
if (unknown.length) {
  console.error(`There is no benchmark ${unknown.join(' or ')}; there are ${Object.keys(BENCHES).join(', ')}.`)
  process.exit(2)
}

const how = {
  ...(quick ? { rounds: 3, seconds: 1 } : { rounds: 5, seconds: 3 }), others: Number(others), filled: Number(filled)
}
const lines: Line[] = []
for (const name of only) {
  console.error(`${name} …`)
  lines.push(...await BENCHES[name]!(how))
}
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores; medians of ${how.rounds} rounds of ${how.seconds} s in turns\n`
)
console.log(table(lines))
