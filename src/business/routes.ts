import type { FastifyPluginAsync } from 'fastify'
import { Business, BusinessPatch, type BusinessRecord, type DataHost } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { route } from '../access/index.ts'
import { ok } from '../platform/http/resources/answer.ts'
import { matching, tagOf, type Version } from '../platform/http/resources/tags.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import type { Match } from '../platform/storage/contract.ts'
import { isOpen } from './hours.ts'
import { decideBusiness, type SealChat } from './store.sqlite.ts'
import type { BusinessStore } from './store.ts'

const tag = 'Account'
const who = ['CONFIGURE_BUSINESS'] as const
const BusinessAnswer = success(Business, { title: 'BusinessAnswer', description: 'The settings of the account' })
const setOf = ({ team_chat_url: _url, ...set }: BusinessRecord) => set

/** Availability and data recipients are included, and change by themselves. */
const version: Version<Business, Match<BusinessRecord>> = {
  tag: ({ is_open: open, data_hosts: hosts, ...set }) => tagOf(set, { is_open: open, data_hosts: hosts }),
  match: (request) => matching(request, 'What the account has set', setOf)
}

/** An account's settings for all its agents: read, change. */
export const businessRoutes: FastifyPluginAsync<{
  business: BusinessStore, clock: Clock, hosts: (owner: Id) => Promise<DataHost[]>, sealChat: (owner: Id) => SealChat
}> = async (app, { business, clock, hosts, sealChat }) => {
  async function shown (record: BusinessRecord): Promise<Business> {
    const kept = setOf(record)
    return { ...kept, is_open: isOpen(kept, clock.micros()), data_hosts: await hosts(kept.owner) }
  }

  app.route(route({
    get: '/business',
    id: 'getBusiness',
    tag,
    summary: 'Read the settings of the account',
    description: 'Includes when people are available, what visitors are told, and which hosts personal data is sent to.',
    who,
    version,
    answer: ok(BusinessAnswer, 'Settings retrieved successfully'),
    handle: async ({ owner }) => await shown(await business.get(owner))
  }))

  app.route(route({
    put: '/business',
    id: 'updateBusiness',
    tag,
    summary: 'Update the settings of the account',
    description: 'Omitted fields stay unchanged.',
    who,
    body: BusinessPatch,
    version,
    answer: ok(BusinessAnswer, 'Settings updated successfully'),
    handle: async ({ owner, body, match }) => {
      const changed = await business.change(owner, (kept) => {
        match(kept)
        return decideBusiness(kept, body, timestamp(clock.micros()), sealChat(owner))
      })
      return await shown(changed)
    }
  }))
}
