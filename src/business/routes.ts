import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Business, BusinessPatch, type BusinessRecord, type DataHost } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { answerTagged, matching, tagOf, Unchanged } from '../platform/http/resources/tags.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { isOpen } from './hours.ts'
import { decideBusiness, type SealChat } from './settings.ts'
import type { BusinessStore } from './store.ts'

const BusinessAnswer = success(Business, { title: 'BusinessAnswer', description: 'What the account has set' })
const tags = ['Account']
const setOf = ({ team_chat_url: _url, ...set }: BusinessRecord) => set

/** What an account sets for all its agents: read, change. */
export const businessRoutes: FastifyPluginAsyncTypebox<{
  business: BusinessStore, clock: Clock, hosts: (owner: Id) => Promise<DataHost[]>, sealChat: (owner: Id) => SealChat
}> = async (app, { business, clock, hosts, sealChat }) => {
  async function answer (request: FastifyRequest, reply: FastifyReply, message: string, record: BusinessRecord) {
    const kept = setOf(record)
    const beside = { is_open: isOpen(kept, clock.micros()), data_hosts: await hosts(kept.owner) }
    return answerTagged(request, reply, tagOf(kept, beside), message, { ...kept, ...beside })
  }

  app.get(
    '/business',
    {
      schema: {
        tags,
        operationId: 'getBusiness',
        summary: 'Read the settings of the account',
        description: 'When people are there, what visitors are told, and which hosts personal data is sent to.',
        response: { 200: BusinessAnswer, 304: Unchanged }
      },
      config: { permit: ['CONFIGURE_BUSINESS'], heeds: ['If-None-Match'], tells: ['ETag'] }
    },
    async (request, reply) =>
      await answer(request, reply, 'Settings retrieved successfully', await business.get(request.caller.account.id))
  )

  app.put(
    '/business',
    {
      schema: {
        tags,
        operationId: 'updateBusiness',
        summary: 'Change the settings of the account',
        description: 'What is left out stays as it is.',
        body: BusinessPatch,
        response: { 200: BusinessAnswer }
      },
      config: { permit: ['CONFIGURE_BUSINESS'], heeds: ['If-Match'], tells: ['ETag'] }
    },
    async (request, reply) => {
      const { caller: { account: { id } }, body } = request
      const match = matching(request, 'What the account has set', setOf)
      const changed = await business.change(id, (kept) => {
        match(kept)
        return decideBusiness(kept, body, timestamp(clock.micros()), sealChat(id))
      })
      return await answer(request, reply, 'Settings updated successfully', changed)
    }
  )
}
