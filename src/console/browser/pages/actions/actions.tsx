import { useState } from 'preact/hooks'
import { may } from '../../session.ts'
import { texts } from '../../texts/index.ts'
import { Page } from '../../ui/page.tsx'
import { Calls } from './calls.tsx'
import { Connections } from './connections.tsx'
import { Definitions } from './definitions.tsx'

/** What agents may do in other systems: connections, actions, and past calls. */
export default function Actions () {
  const { nav, acts } = texts.value
  // A part appears once those above it have their final size, so that nothing being read moves.
  const [come, setCome] = useState(0)
  const parts = [
    may('MANAGE_AGENTS') && Definitions, may('CONFIGURE_BUSINESS') && Connections, may('REPLY_CONVERSATION') && Calls
  ].filter((part) => part !== false)
  return (
    <Page title={nav.actions}>
      <p class='quiet'>{acts.about}</p>
      {parts.slice(0, come + 1).map((Part, at) => (
        <Part key={at} onCome={() => setCome((most) => Math.max(most, at + 1))} />
      ))}
    </Page>
  )
}
