import { useState } from 'preact/hooks'
import { UserPlus } from 'lucide-preact'
import type { Invitation, Member } from '../../../../../schema/team.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { me } from '../../session.ts'
import { fill, labelled, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { leaveTeam } from '../../own/leaving.ts'
import { Badge, Card, Page } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { ChangeMember } from './change-member.tsx'
import { Invite } from './invite.tsx'

/** The account's team: members with their permissions, and pending invitations. */
export default function Team () {
  const { team, nav } = texts.value
  const members = useResource<Member[]>('/members')
  const invitations = useResource<Invitation[]>('/invitations')
  const [isInviting, setInviting] = useState(false)
  return (
    <Page
      title={nav.team}
      actions={
        <Button kind='main' icon={UserPlus} onClick={() => setInviting(true)}>{team.invite}</Button>
      }
    >
      <Card title={team.members}>
        <Loaded from={members}>{(all) => <Members all={all} onChanged={async () => await members.reload()} />}</Loaded>
      </Card>
      {(members.data || members.error) && (
        <Card title={team.invitations}>
          <Loaded from={invitations}>
            {(all) =>
              all.length === 0
                ? <p class='quiet'>{team.noInvitations}</p>
                : <Invitations all={all} onChanged={async () => await invitations.reload()} />}
          </Loaded>
        </Card>
      )}
      {isInviting && <Invite onClose={() => setInviting(false)} onInvited={() => { invitations.reload() }} />}
    </Page>
  )
}

function Members ({ all, onChanged }: { all: Member[], onChanged: () => Promise<void> }) {
  const { team, ui } = texts.value
  const [changing, setChanging] = useState<Member>()
  const mine = me.value!.user.id
  // An account must keep at least one member with all permissions.
  const isLast = (one: Member) => one.role === 'owner' && all.filter(({ role }) => role === 'owner').length === 1
  const remove = useAction(async ({ id, user }: Member) => {
    if (user.id === mine) return await leaveTeam()
    const title = fill(team.removeTitle, { name: user.name })
    if (!await confirm({ title, text: team.removeText, verb: team.remove })) return
    await api.delete(`/members/${id}`)
    await onChanged()
  })
  return (
    <>
      {remove.error && <Failure error={remove.error} />}
      <ul class='list'>
        {all.map((member) => (
          <li key={member.id} class='entry'>
            <div class='grow'>
              <strong dir='auto'>{member.user.name}</strong>{' '}
              {member.user.id === mine && <Badge tone='accent'>{ui.you}</Badge>}
              <p class='quiet cut'>{member.user.email}</p>
            </div>
            <Badge>{team.roles[member.role]}</Badge>
            <div class='actions'>
              <Button onClick={() => setChanging(member)} aria-label={fill(team.changeOf, { name: member.user.name })}>
                {ui.edit}
              </Button>
              {!isLast(member) && (
                <Button
                  busy={remove.isBusy}
                  onClick={() => { remove.run(member) }}
                  aria-label={member.user.id === mine ? undefined : fill(team.removeOf, { name: member.user.name })}
                >
                  {member.user.id === mine ? team.leave : team.remove}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {changing && <ChangeMember member={changing} onClose={() => setChanging(undefined)} onChanged={onChanged} />}
    </>
  )
}

function Invitations ({ all, onChanged }: { all: Invitation[], onChanged: () => Promise<void> }) {
  const { team } = texts.value
  const revoke = useAction(async ({ id, email }: Invitation) => {
    const text = fill(team.revokeText, { who: email ?? team.somebody })
    if (!await confirm({ title: team.revokeTitle, text, verb: team.revoke })) return
    await api.delete(`/invitations/${id}`)
    await onChanged()
  })
  return (
    <>
      {revoke.error && <Failure error={revoke.error} />}
      <ul class='list'>
        {all.map((one) => (
          <li key={one.id} class='entry'>
            <div class='grow'>
              <strong dir='auto'>{one.email ?? team.somebody}</strong>
              <p class='quiet'>{fill(team.until, { time: shownTime(one.expires_at) })}</p>
            </div>
            <Badge>{team.roles[one.role]}</Badge>
            <Button
              busy={revoke.isBusy} onClick={() => { revoke.run(one) }}
              aria-label={labelled(team.revoke, one.email ?? team.somebody)}
            >
              {team.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}
