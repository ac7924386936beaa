import { Type } from '@sinclair/typebox'
import { Id } from '../../schema/common.ts'
import type { FieldChange } from '../../schema/versions.ts'
import { Refusal } from '../platform/errors.ts'
import { agent, tool, type Ask, type Tool } from './tool.ts'

/*
 * What assistants do with the settings of an agent: they can only change its draft. Publishing requires a person's
 * confirmation of the changes; the agent's test questions can block it all the same.
 */

const Changes = Type.Array(Type.Object({ field: Type.String() }, { additionalProperties: true }))
/** Maximum characters that a person is asked to read at once. */
const LONGEST_QUESTION = 8000

/** The changes of a draft compared with what is live. */
async function changesOf (ask: Ask, id: number): Promise<{ draft: string, changes: FieldChange[] }> {
  const { live_version: live, draft_etag: draft } = await ask({ method: 'GET', url: `/v1/agents/${id}` })
  const { changes } = await ask({ method: 'GET', url: `/v1/agents/${id}/versions/${live}/diff?to=draft` })
  return { draft, changes }
}

const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing'

/** A change as shown to the person for confirmation: complete, since they confirm all of it. */
function linesOf ({ field, from, to, lines }: FieldChange): string {
  if (!lines) return `${field}: ${shown(from)} → ${shown(to)}`
  const changed = lines.filter(({ is }) => is !== 'same').map(({ is, text }) => `${is === 'added' ? '+' : '-'} ${text}`)
  return [`${field}:`, ...changed].join('\n')
}

/** Tools for drafts of agents, their test questions, and publishing. */
export const DRAFTING: readonly Tool[] = [
  tool({
    name: 'diff_agent',
    title: 'Compare the draft of an agent with what is live',
    description: 'What the draft changes, field by field; texts of several lines by line.',
    readOnly: true,
    input: { agent },
    output: { changes: Changes },
    run: async ({ agent }, { ask }) => ({ changes: (await changesOf(ask, agent)).changes })
  }),
  tool({
    name: 'update_draft',
    title: 'Change the draft of an agent',
    description:
      'Changes settings as get_agent shows them; what is left out stays. Visitors notice nothing until a person lets it be published.',
    needs: ['MANAGE_AGENTS'],
    readOnly: false,
    input: {
      agent,
      settings: Type.Object({}, {
        additionalProperties: true,
        minProperties: 1,
        description: 'Such as {"systemPrompt": "…", "behavior": {"suggestions": ["…"]}}'
      })
    },
    output: { changes: Changes },
    async run ({ agent, settings }, { ask }) {
      const { publish_on_save: isLive } = await ask({ method: 'GET', url: `/v1/agents/${agent}` })
      if (isLive) {
        throw new Refusal(
          'conflict',
          'Changes to this agent are live at once. A person has to set publish_on_save to false first, in the console: Versions.'
        )
      }
      // Checked once more: somebody may have changed it meanwhile.
      await ask({ method: 'PUT', url: `/v1/agents/${agent}`, body: { ...settings, publish_on_save: false } })
      return { changes: (await changesOf(ask, agent)).changes }
    }
  }),
  tool({
    name: 'run_questions',
    title: 'Ask the test questions of an agent',
    description: 'Asks them of the draft, in the background: call it again with `run` to see what came of it.',
    needs: ['MANAGE_AGENTS'],
    readOnly: false,
    input: { agent, run: Type.Optional(Type.Integer({ ...Id, description: 'A run that was begun' })) },
    output: {
      run: Id,
      state: Type.String(),
      passed: Type.Integer(),
      total: Type.Integer(),
      failed: Type.Array(Type.Object({
        question: Type.String(), verdict: Type.String(), why: Type.Array(Type.String())
      }))
    },
    async run ({ agent, run }, { ask }) {
      const at = `/v1/agents/${agent}/runs`
      const found = run === undefined
        ? { ...await ask({ method: 'POST', url: at, body: { of: 'draft' } }), results: [] }
        : await ask({ method: 'GET', url: `${at}/${run}` })
      const { id, state, passed, total } = found
      const results: any[] = found.results
      return {
        run: id,
        state,
        passed,
        total,
        failed: results.filter(({ verdict }) => verdict !== 'pass').map(({ text, verdict, why }) => ({
          question: text, verdict, why: why.map(({ message }: { message: string }) => message)
        }))
      }
    }
  }),
  tool({
    name: 'publish_agent',
    title: 'Publish the draft of an agent',
    description:
      'Visitors are answered with the draft from then on, once a person has said yes to what it changes. Test questions that block are asked first.',
    needs: ['MANAGE_AGENTS'],
    readOnly: false,
    input: { agent, note: Type.Optional(Type.String({ maxLength: 500, description: 'What it is for' })) },
    output: { version: Type.Integer() },
    async run ({ agent, note }, { ask, confirmed }) {
      const { draft, changes } = await changesOf(ask, agent)
      if (changes.length === 0) throw new Refusal('nothing_to_publish', 'The draft changes nothing.')
      const said = changes.map(linesOf).join('\n')
      if (said.length > LONGEST_QUESTION) {
        throw new Refusal(
          'conflict', 'The draft changes more than a person can be asked about here. Publish it in the console: Versions.'
        )
      }
      confirmed(`Visitors of agent ${agent} will see these changes:\n\n${said}`, draft)
      const body = { if_draft: draft, ...(note && { note }) }
      return { version: (await ask({ method: 'POST', url: `/v1/agents/${agent}/publish`, body })).number }
    }
  })
]
