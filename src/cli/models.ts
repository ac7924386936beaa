import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { connectModels, installedFrom, modelSettings, plainUrl, type Installed, type Models } from '../models/index.ts'
import { servedBy } from '../platform/storage/sqlite/disk/lock.ts'
import { VERSION } from '../version.ts'
import type { Stores } from '../stores.ts'
import type { Id } from '../../schema/common.ts'
import { command, configOf, print, table, withStores, type CommonOptions, type CliIo } from './common.ts'

/** A provider of models: its names, its origin, and whether it responds; null if it cannot be tested from here. */
interface Listed {
  models: string[]
  from: string
  url: string
  answers: boolean | null
  finding: string
  /** Whether the running server has it; null if none runs, or does not say. */
  in_server: boolean | null
}

/** Time limit for each provider. */
const CHECK_MS = 20_000

/** `models`: which language models there are, from where, and whether they respond. */
export function modelsCommand (io: CliIo): Command {
  return command(
    'models', 'language models, where they come from, and whether they answer', 'models', 'models --json'
  ).action(async (options: CommonOptions) => {
    const found = await withStores(io, options, async (stores) => await listed(configOf(io, options), stores))
    print(io, options, found, () =>
      table(
        found.map(({ models, from, url, answers, finding, in_server: isThere }) => ({
          models: models.join(', '),
          from,
          url,
          answers: answers ? 'yes' : `${answers === null ? 'not asked' : 'no'}: ${finding}`,
          ...(isThere !== null && { 'running server': isThere ? 'has it' : 'was started without it' })
        })),
        'There are no language models: agents quote their sources. Set AGENTHALL_OPENAI_KEY, or AGENTHALL_MODEL_URL for a server of your own.'
      )
    )
  })
}

/** The installation's models, and those that accounts configure themselves. */
async function listed (config: Config, { access, models, modelProviders }: Stores): Promise<Listed[]> {
  const ofAccount = async ({ id }: { id: Id }) =>
    (await modelProviders.offers(id)).map(({ models: names, provider }) => ({
      models: [...names], from: `account ${id}, provider ${provider.id.replace('account-', '')}`, provider
    }))
  const ofAccounts = (await Promise.all((await access.users()).map(ofAccount))).flat()
  return [
    ...await installed(config, models),
    ...(await checked(models, ofAccounts)).map((one) => ({ ...one, in_server: servedBy(config.DATA) ? true : null }))
  ]
}

/** The installation's providers, each tested once, without opening any data. */
export async function installationChecked (config: Config): Promise<Listed[]> {
  const models = connectModels({
    offers: () =>
      installedFrom(modelSettings(config)).map(({ provider }) => ({
        match: '*', provider, isPremium: false, price: null, context: null, fallback: null
      })),
    providers: { offers: async () => [] },
    now: () => performance.now(),
    userAgent: `Agenthall/${VERSION}`
  })
  try {
    return await installed(config, models)
  } finally {
    await models.close()
  }
}

/**
 * Those in this call's settings, and those that the running server was started with: the keys of the latter are in its
 * environment only, so they cannot be tested.
 */
async function installed (config: Config, models: Models): Promise<Listed[]> {
  const running = servedBy(config.DATA)?.announced?.models
  const here = await checked(models, installedFrom(modelSettings(config)))
  const isSame = (one: Pick<Listed, 'from' | 'url'>, other: Pick<Listed, 'from' | 'url'>) =>
    one.from === other.from && plainUrl(one.url) === other.url
  return [
    ...here.map((one) => ({ ...one, in_server: running ? running.some((other) => isSame(one, other)) : null })),
    ...(running ?? []).filter((other) => !here.some((one) => isSame(one, other))).map((other) => ({
      ...other, answers: null, finding: `only the running server has ${other.from}. Set it here too.`, in_server: true
    }))
  ]
}

async function checked (models: Models, all: Installed[]): Promise<Array<Omit<Listed, 'in_server'>>> {
  return await Promise.all(
    all.map(async ({ models: names, from, provider }) => {
      const found = await models
        .check(provider, AbortSignal.timeout(CHECK_MS))
        .catch(() => ({ ok: false as const, message: 'It took too long to answer.' }))
      return {
        models: names, from, url: provider.url, answers: found.ok, finding: found.ok ? 'answers' : found.message
      }
    })
  )
}
