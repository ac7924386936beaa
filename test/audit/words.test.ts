import { readFileSync } from 'node:fs'
import t from 'tap'
import { deedOf, kindOf } from '../../src/console/browser/pages/audit/words.ts'

interface Operation { operationId: string, security?: unknown[] }

/** What is done without anybody of the team, or what nothing is kept of. */
const NEVER = new Set([
  'updateOwnVisitor', 'requestLink', 'lookAtLink', 'useLink', 'testLanguageModel', 'createChatCompletion', 'receiveMail'
])

t.test('the audit trail has a word for whatever can be changed', async (t) => {
  // Was wrong: "Something else: added" stood there for a saved reply, and a feed was told as a change of its agent.
  const { paths } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  const unnamed = Object.entries(paths).flatMap(([path, operations]) => Object.entries(operations)
    .filter(([method]) => method !== 'get' && method !== 'parameters')
    .map(([, { operationId }]) => operationId)
    .filter((id) => !NEVER.has(id) && kindOf(path.replace(/^(?:\/api)?\/v1\//, '').replaceAll(/\{\w+\}/g, '1')).kind === 'other'))
  t.strictSame(unnamed, [])
  t.equal(kindOf('saved_replies/1').kind, 'reply')
  t.equal(deedOf('acceptInvitation'), 'added')
  t.equal(kindOf('agents/1/feeds/2').kind, 'feed')
})
