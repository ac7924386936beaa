import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { settingsIn, type AgentSettings } from '../../../schema/agents.ts'
import { closed, PathId, text, type Id } from '../../../schema/common.ts'
import { success } from '../../../schema/envelopes.ts'
import { Publishing, Version, VersionDiff, VersionSummary } from '../../../schema/versions.ts'
import { route, type Caller } from '../../access/index.ts'
import { invalid } from '../../platform/errors.ts'
import { created, listInParts, ok } from '../../platform/http/resources/answer.ts'
import { inParts } from '../../platform/http/resources/cursors.ts'
import type { Way } from '../../platform/http/openapi.ts'
import { replaced } from '../draft.ts'
import { NO_AGENT, noAgent } from '../show.ts'
import type { AgentStore } from '../store.ts'
import { diffOf } from '../versions/diff.ts'
import { authorsBy, type AuthorNeeds } from './author.ts'
import { inAgent, tag } from './shapes.ts'

const VersionAnswer = success(Version, { title: 'VersionAnswer', description: 'The version' })
const DiffAnswer = success(VersionDiff, { title: 'VersionDiffAnswer', description: 'The differences' })
const inVersion = Type.Object({ id: PathId, number: PathId })
const who = ['MANAGE_AGENTS'] as const
const missing = 'No such version.'
/** Before the newest version. */
const NEWEST = Number.MAX_SAFE_INTEGER

const NOTHING: Way = ['nothing_to_publish', 'It already answers visitors.']
const FAILED: Way[] = [
  ['questions_failed', 'Blocking test questions did not pass: `fields.questions` says which and why.'],
  ['questions_running', 'The test questions are still being asked: `fields.run` is the run.']
]
/** How long publishing may take, which runs test questions first. */
const PUBLISH_MS = 30_000
const MOVED: Way = ['precondition_failed', 'The draft is not the one that `if_draft` names.']
const Again = Type.Object(
  { note: Publishing.properties.note }, { ...closed, title: 'PublishingAgain', examples: [{ note: 'Back to what worked' }] }
)
const To = Type.Object({
  to: Type.Optional(text(16, {
    pattern: '^(draft|live|[1-9]\\d{0,15})$', description: '`draft` (default), `live`, or a version number'
  }))
}, closed)

/**
 * Lets a draft be published, or refuses. Returns which draft that is, and whether it failed and is forced; undefined if
 * there was nothing to check.
 */
type PublishGate =
  (owner: Id, agent: Id, isForced: boolean) => Promise<{ draft: string, hasFailed: boolean } | undefined>

/** Dependencies of publishing. */
export interface PublishingNeeds extends AuthorNeeds { agents: AgentStore, gate: PublishGate }

/** Versions of an agent: list, read, compare, publish, restore. */
export const versionRoutes: FastifyPluginAsync<PublishingNeeds> = async (app, needs) => {
  const { agents, gate } = needs
  const authorOf = authorsBy(needs)
  const at = ({ number }: { number: number }, { id }: Record<string, unknown>) => `/v1/agents/${id}/versions/${number}`
  const madeId = ({ number }: Version) => number

  /** Gives an agent the settings of a version. */
  async function replacing (caller: Caller) {
    const author = await authorOf(caller, 'anything')
    return (agent: Parameters<typeof replaced>[0], settings: AgentSettings) => replaced(agent, settings, author)
  }

  /** The settings that a diff compares with; undefined if there is no such version. */
  async function settingsOf (owner: Id, id: Id, what: string): Promise<AgentSettings | undefined> {
    if (what === 'draft') return settingsIn((await agents.get(owner, id) ?? noAgent()).agent)
    if (what === 'live') return settingsIn(await agents.live(owner, id) ?? noAgent())
    return (await agents.version(owner, id, Number(what)))?.settings
  }

  app.route(route({
    get: '/agents/:id/versions',
    id: 'listVersions',
    tag,
    summary: "List an agent's versions",
    description:
      'Returns the versions that visitors were answered with, newest first, and drafts that were replaced by ' +
      'restoring a version. A version never changes.',
    who: 'any user',
    params: inAgent,
    query: Type.Object({ ...inParts('Versions') }, closed),
    missing: NO_AGENT,
    answer: listInParts(
      VersionSummary, { title: 'VersionList', description: 'A page of versions' }, 'Versions retrieved successfully'
    ),
    async handle ({ owner, params: { id }, part: { after, limit } }) {
      const found = await agents.versions(owner, id, after === undefined ? NEWEST : Number(after), limit + 1)
      const items = found?.slice(0, limit)
      return items && { items, next: found!.length > limit ? String(items.at(-1)!.number) : null }
    }
  }))

  app.route(route({
    get: '/agents/:id/versions/:number',
    id: 'getVersion',
    tag,
    summary: 'Read a version',
    description:
      'Returns all settings as they were, and which sources the agent knew. Messages name their version in ' +
      '`agent_version`.',
    who: 'any user',
    params: inVersion,
    missing,
    answer: ok(VersionAnswer, 'Version retrieved successfully'),
    handle: ({ owner, params: { id, number } }) => agents.version(owner, id, number)
  }))

  app.route(route({
    get: '/agents/:id/versions/:number/diff',
    id: 'compareVersion',
    tag,
    summary: 'Compare a version with another or the draft',
    description:
      'Compares with the draft, the live version or another version, field by field; multi-line texts line by line.',
    who: 'any user',
    params: inVersion,
    query: To,
    missing,
    answer: ok(DiffAnswer, 'Versions compared'),
    async handle ({ owner, params: { id, number }, query: { to = 'draft' } }) {
      const from = await settingsOf(owner, id, String(number))
      const other = await settingsOf(owner, id, to)
      return from && other && { from: String(number), to, changes: diffOf(from, other) }
    }
  }))

  app.route(route({
    post: '/agents/:id/publish',
    id: 'publishAgent',
    tag,
    summary: "Publish an agent's draft",
    description:
      'From then on, visitors are answered with it. Blocking test questions are asked first, unless exactly this ' +
      'draft has already passed them. If two requests publish the same draft at once, one is refused because there ' +
      'is nothing left to publish.',
    who,
    params: inAgent,
    body: Publishing,
    missing: NO_AGENT,
    answer: created(VersionAnswer, 'Agent published successfully', { at, madeId }),
    limits: { answerMs: PUBLISH_MS },
    idempotent: true,
    refuses: [NOTHING, MOVED, ...FAILED],
    async handle ({ owner, params: { id }, body: { note, if_draft: wanted, force = false, reason = '' }, once }) {
      if (force && reason.trim() === '') {
        throw invalid({ field: 'reason', message: 'reason is required with force: say why it is published anyway.' })
      }
      const asked = await gate(owner, id, force)
      // What is published has to be what was tested, and what the caller named.
      return await agents.publish(
        owner, id, { note, drafts: [wanted, asked?.draft], reason: asked?.hasFailed ? reason : null }, once
      )
    }
  }))

  app.route(route({
    post: '/agents/:id/versions/:number/restore',
    id: 'restoreVersion',
    tag,
    summary: 'Restore a version into the draft',
    description:
      'Visitors are not affected until it is published. Unpublished changes in the draft are kept as a version for ' +
      '30 days. `gone_sources` lists what the agent knew then and cannot know again.',
    who,
    params: inVersion,
    missing,
    answer: ok(VersionAnswer, 'Version restored into the draft'),
    handle: async ({ caller, owner, params: { id, number } }) =>
      await agents.restore(owner, id, number, await replacing(caller))
  }))

  app.route(route({
    post: '/agents/:id/versions/:number/publish',
    id: 'publishVersion',
    tag,
    summary: 'Republish a version',
    description:
      'Publishes it as a new version immediately: use it to roll back a bad change. An unpublished draft stays as ' +
      'it is. `gone_sources` lists what the agent knew then and cannot know again.',
    who,
    params: inVersion,
    body: Again,
    missing,
    answer: created(VersionAnswer, 'Version published successfully', { at, madeId }),
    idempotent: true,
    refuses: [NOTHING],
    handle: async ({ caller, owner, params: { id, number }, body: { note }, once }) =>
      await agents.publishVersion(owner, id, number, { note, change: await replacing(caller) }, once)
  }))
}
