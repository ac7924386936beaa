import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import { closed, oneOf } from '../../schema/common.ts'
import {
  ConfigApplied, ConfigApply, ConfigChange, ConfigDraft, ConfigFile, ConfigPlan, ConfigState, MOST_CONFIG_BYTES
} from '../../schema/config.ts'
import { success } from '../../schema/envelopes.ts'
import { route, type Caller } from '../access/index.ts'
import { UPLOAD_MS, type Author } from '../agents/index.ts'
import { Refusal } from '../platform/errors.ts'
import { ok, raw, type Exchange } from '../platform/http/resources/answer.ts'
import { writtenInTurns } from '../platform/http/resources/pieces.ts'
import { takingTurns } from '../platform/work/slices.ts'
import { keyedRoutes } from './keyed.ts'
import type { Config } from './open.ts'
import type { Actor } from './putting.ts'
import { tarOf } from './files/tar.ts'
import { carriedAsJson, type ConfigFileMade } from './files/write.ts'

const tag = 'Account'
const who = ['MANAGE_AGENTS'] as const
/** A body may spell bytes as base64, and texts with escapes. */
const BODY_LIMIT = MOST_CONFIG_BYTES * 1.5
const limits = {
  bodyLimit: BODY_LIMIT,
  receiveMs: UPLOAD_MS,
  answerMs: 120_000,
  insteadOfLarge: 'Add large documents as knowledge sources instead.'
}
/** Characters of an export that are sent together. */
const PIECE = 65_536
const Query = Type.Object({
  agent_key: Type.Optional(Type.String({
    maxLength: 64, pattern: '^[a-z0-9_-]+$', description: 'Only the agent with this key'
  })),
  format: Type.Optional(oneOf(['json', 'tar'], { description: 'Default: `json`' }))
}, closed)

const Exported = success(
  Type.Object({ files: Type.Array(ConfigFile) }, { title: 'ConfigExport' }),
  { title: 'ConfigExportAnswer', description: 'The files' }
)

/** An account as files: export, plan, apply. */
export const configRoutes: FastifyPluginAsync<{
  config: Config
  /** What there is to be named by those who change agents. */
  namesOf: (owner: number) => Promise<Pick<Author, 'ticketing' | 'actions' | 'said'>>
}> = async (app, { config, namesOf }) => {
  const actorOf = async (caller: Caller): Promise<Actor> => {
    const { account: { id, tier }, permissions, user, by } = caller
    return { author: { tier, permissions, ...await namesOf(id) }, user: user.id, by: by.kind, key: by.kind === 'key' ? by.id : null }
  }

  await app.register(keyedRoutes, { config, actorOf })

  app.route(route({
    get: '/config',
    id: 'exportConfig',
    tag,
    summary: 'Export the account as files',
    description:
      'Returns agents with their prompts, knowledge and test questions, actions, webhooks and settings, as files ' +
      'to keep in a repository. The same account always yields the same bytes. Secrets are never included, only ' +
      'their names, as `{ env: NAME }`. With `tar`, returns an archive, which may be larger than a JSON response.',
    who,
    query: Query,
    answer: raw({ 200: Exported }),
    async handle ({ caller, owner, query: { agent_key: agent, format = 'json' }, reply }) {
      const files = await config.exported(owner, await actorOf(caller), agent)
      if (format === 'tar') {
        return await reply.type('application/x-tar')
          .header('content-disposition', 'attachment; filename="agenthall-config.tar"')
          .send(Readable.from(tarOf(files), { objectMode: false }))
      }
      return await reply.type('application/json; charset=utf-8')
        .send(Readable.from(written(await readWhole(files)), { objectMode: false }))
    }
  }))

  app.route(route({
    get: '/config/state',
    id: 'getConfigState',
    tag,
    summary: 'Get the state of configuration files',
    description:
      'Returns when files were last applied and by whom, what has been changed elsewhere since, and which objects ' +
      'are kept in which file.',
    who: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS', 'CONFIGURE_BUSINESS'],
    answer: ok(success(ConfigState, {
      title: 'ConfigStateAnswer', description: 'How files and account compare'
    }), 'State retrieved successfully'),
    handle: ({ owner }) => config.state(owner)
  }))

  app.route(route({
    post: '/config/plan',
    id: 'planConfig',
    tag,
    summary: 'Plan applying files to the account',
    description:
      'Returns what applying the files would do, object by object, and what has been changed elsewhere since files ' +
      'were last applied. Changes nothing. A field that is in no file stays as it is; `!unset` resets it to its ' +
      'default.',
    who,
    body: ConfigDraft,
    limits,
    audit: 'never',
    answer: ok(success(ConfigPlan, { title: 'ConfigPlanAnswer', description: 'The plan' }), 'Configuration planned', {
      write: withChanges
    }),
    handle: async ({ caller, owner, body }) => await config.plan(owner, await actorOf(caller), body)
  }))

  app.route(route({
    post: '/config/apply',
    id: 'applyConfig',
    tag,
    summary: 'Apply files to the account',
    description:
      'Applies all changes or none. `plan` is the input of the plan and `if` its `digests`: if anything that the ' +
      'plan was made from has changed, the request is refused with 412 and nothing is done. Changed agents stay in ' +
      'drafts; with `publish`, each is published subject to its test questions, and `published` says which were ' +
      'not, and why. Knowledge is trained in the background.',
    who,
    body: ConfigApply,
    limits,
    answer: ok(success(ConfigApplied, {
      title: 'ConfigAppliedAnswer', description: 'The changes made'
    }), 'Configuration applied', {
      write: withChanges
    }),
    refuses: [
      ['precondition_failed', 'Something has changed since this was planned: agents/support. Nothing was applied; plan again.'],
      ['in_use', 'An agent uses this action. Remove it there first.'],
      ['limit_reached', 'An account may have 200 actions. Remove one that is not needed.'],
      ['taken', 'An action with this name already exists. Choose another name.']
    ],
    handle: async ({ caller, owner, body }) => await config.apply(owner, await actorOf(caller), body)
  }))
}

/** Writes an answer with changes, which may be thousands. */
const withChanges = (data: ConfigPlan | ConfigApplied, message: string, { reply }: Exchange) =>
  writtenInTurns(reply, {
    envelope: { status: 'success', message, data: { ...data, changes: [] } }, name: 'changes', items: data.changes, schema: ConfigChange
  })

/** Files with their bytes. Refuses with `payload_too_large` what one answer does not hold. */
async function readWhole (files: readonly ConfigFileMade[]): Promise<Array<{ path: string, content: Buffer }>> {
  const all: Array<{ path: string, content: Buffer }> = []
  const turn = takingTurns()
  let size = 0
  for (const { path, bytes } of files) {
    await turn()
    const content = await bytes()
    size += content.length
    if (size > MOST_CONFIG_BYTES) {
      throw new Refusal('payload_too_large', 'The files are too large for one response. Request them as an archive: /v1/config?format=tar.')
    }
    all.push({ path, content })
  }
  return all
}

/** Files as JSON carries them, a few at a time: a configuration is as large as 32 MiB. */
async function * written (files: ReadonlyArray<{ path: string, content: Buffer }>): AsyncGenerator<string> {
  const turn = takingTurns()
  let text = '{"status":"success","message":"Configuration exported successfully","data":{"files":['
  for (const [i, { path, content }] of files.entries()) {
    if (i > 0) text += ','
    for (const piece of carriedAsJson(path, content)) {
      text += piece
      if (text.length < PIECE) continue
      yield text
      text = ''
      await turn()
    }
  }
  yield `${text}]}}`
}
