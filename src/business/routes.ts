import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Business, BusinessPatch, type BusinessRecord, type DataHost } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import { success } from '../../schema/envelopes.ts'
import { timestamp, type Clock } from '../platform/clock.ts'
import { isOpen } from './hours.ts'
import { decideBusiness, type SealChat } from './settings.ts'
import type { BusinessStore } from './store.ts'

const BusinessAnswer = success(Business, { title: 'BusinessAnswer', description: 'What the account has set' })
const tags = ['Account']

/** What an account sets for all its agents: read, change. */
export const businessRoutes: FastifyPluginAsyncTypebox<{
  business: BusinessStore, clock: Clock, hosts: (owner: Id) => Promise<DataHost[]>, sealChat: (owner: Id) => SealChat
}> = async (app, { business, clock, hosts, sealChat }) => {
  const shown = async ({ team_chat_url: _url, ...kept }: BusinessRecord) => ({
    ...kept, is_open: isOpen(kept, clock.micros()), data_hosts: await hosts(kept.owner)
  })

  app.get(
    '/business',
    {
      schema: {
        tags,
        operationId: 'getBusiness',
        summary: 'Read the settings of the account',
        description: 'When people are there, what visitors are told, and which hosts personal data is sent to.',
        response: { 200: BusinessAnswer }
      },
      config: { permit: ['CONFIGURE_BUSINESS'] }
    },
    async ({ caller }) => ({
      status: 'success' as const,
      message: 'Settings retrieved successfully',
      data: await shown(await business.get(caller.account.id))
    })
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
      config: { permit: ['CONFIGURE_BUSINESS'] }
    },
    async ({ caller, body }) => ({
      status: 'success' as const,
      message: 'Settings updated successfully',
      data: await shown(
        await business.change(caller.account.id, (kept) =>
          decideBusiness(kept, body, timestamp(clock.micros()), sealChat(caller.account.id))
        )
      )
    })
  )
}
