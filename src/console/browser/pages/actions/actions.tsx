import { may } from '../../session.ts'
import { texts } from '../../texts/index.ts'
import { Page } from '../../ui/page.tsx'
import { Calls } from './calls.tsx'
import { Connections } from './connections.tsx'
import { Definitions } from './definitions.tsx'

/** What agents may do in other systems: over which connections, which actions, and what they did. */
export default function Actions () {
  const { nav, acts } = texts.value
  return (
    <Page title={nav.actions}>
      <p class='quiet'>{acts.about}</p>
      {may('MANAGE_AGENTS') && <Definitions />}
      {may('CONFIGURE_BUSINESS') && <Connections />}
      {may('REPLY_CONVERSATION') && <Calls />}
    </Page>
  )
}
