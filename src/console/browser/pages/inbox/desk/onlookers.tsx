import { useEffect, useState } from 'preact/hooks'
import type { Looking, Onlookers as Colleagues } from '../../../../../../schema/handoff.ts'
import { api } from '../../../api.ts'
import { isLive, onHappened } from '../../../live.ts'
import { me } from '../../../session.ts'
import { Face } from '../../../own/face.tsx'
import { fill, texts } from '../../../texts/index.ts'

/** Milliseconds after which it is sent again, after which a colleague counts as gone, and as no longer typing. */
const AGAIN_MS = 20_000
const GONE_MS = 45_000
const TYPES_MS = 6000
const TOLD_MS = 3000

/** A colleague, and when they were last heard from. */
type Known = ReadonlyMap<number, { state: Looking['state'], at: number }>

const tell = async (id: string, state: Looking['state']) =>
  (await api.put<Colleagues>(`/conversations/${id}/looking`, { state })).data.colleagues

let told = 0

/** Tells only colleagues that the user is typing. */
export function tellTyping (id: string) {
  if (Date.now() - told < TOLD_MS) return
  told = Date.now()
  tell(id, 'typing').catch(() => { /* Nobody misses it. */ })
}

/** Names of colleagues who also have the conversation open, while the page is visible. */
export function Onlookers ({ id, holder, personOf }: {
  id: string, holder: number | null, personOf: (user: number) => string
}) {
  const { inbox } = texts.value
  const [known, setKnown] = useState<Known>(new Map())
  const [now, setNow] = useState(Date.now())
  const live = isLive.value

  useEffect(() => {
    const hear = (all: readonly Looking[]) => setKnown((before) => {
      setNow(Date.now())
      const heard = all.filter(({ user }) => user !== me.value?.user.id)
      return new Map([...before, ...heard.map(({ user, state }) => [user, { state, at: Date.now() }] as const)])
    })
    const say = () => {
      if (document.visibilityState === 'visible') tell(id, 'looking').then(hear, () => { /* It is sent again. */ })
    }
    const leave = () => { tell(id, 'away').catch(() => { /* It expires anyway. */ }) }
    const follow = () => document.visibilityState === 'visible' ? say() : leave()
    say()
    const timer = setInterval(say, AGAIN_MS)
    const clock = setInterval(() => setNow(Date.now()), TOLD_MS)
    const end = onHappened((event) => {
      if (event.type === 'looking' && event.id === id) hear([event as unknown as Looking])
    })
    document.addEventListener('visibilitychange', follow)
    return () => {
      clearInterval(timer)
      clearInterval(clock)
      end()
      document.removeEventListener('visibilitychange', follow)
      setKnown(new Map())
      leave()
    }
  }, [id, live])

  const here = [...known].filter(([, { state, at }]) => state !== 'away' && now - at < GONE_MS)
  return (
    <p class='onlookers quiet' role='status'>
      {here.map(([user, { state, at }]) => {
        // Typing by the assignee is shown in the thread.
        const isTyping = state === 'typing' && now - at < TYPES_MS && user !== holder
        const name = personOf(user)
        return (
          <span key={user} class='onlooker'>
            <Face id={String(user)} name={name} size={20} />
            <span class='cut'>{fill(isTyping ? inbox.types : inbox.looks, { name })}</span>
          </span>
        )
      })}
    </p>
  )
}
