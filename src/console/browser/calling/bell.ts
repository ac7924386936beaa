const NAME = 'agenthall-bell'
const STRUCK_MS = 1000
/** Two notes, the second higher and later: hertz, and seconds from the beginning. */
const NOTES = [[659, 0], [880, 0.14]] as const
const NOTE_S = 0.35
const LOUDNESS = 0.12

let audio: AudioContext | undefined

/** Whether this tab may play sound: browsers allow it only after the user has interacted with the tab. */
function mayRing (): boolean {
  const { userActivation } = navigator as { userActivation?: UserActivation }
  return userActivation?.hasBeenActive ?? true
}

function strike () {
  audio ??= new AudioContext()
  const { currentTime: now, destination } = audio
  // If it may not sound after all, the call is still visible in other ways.
  audio.resume().catch(() => {})
  for (const [hertz, after] of NOTES) {
    const [note, volume] = [audio.createOscillator(), audio.createGain()]
    note.frequency.value = hertz
    volume.gain.setValueAtTime(LOUDNESS, now + after)
    volume.gain.exponentialRampToValueAtTime(0.001, now + after + NOTE_S)
    note.connect(volume).connect(destination)
    note.start(now + after)
    note.stop(now + after + NOTE_S)
  }
}

/** A bell that sounds once for all tabs of a browser. */
export interface Bell { ring: () => void, end: () => void }

/** The called tab rings; if it may not, another one does, and if several may, the first of them. */
export function openBell (): Bell {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = () => {
    const { locks } = navigator as { locks?: LockManager }
    if (!mayRing()) return
    locks?.request(NAME, { ifAvailable: true }, async (lock) => {
      if (!lock) return
      strike()
      await new Promise((resolve) => setTimeout(resolve, STRUCK_MS))
    }).catch(() => { /* The tab is closing. */ })
  }
  return {
    ring () {
      if (mayRing()) strike()
      else channel.postMessage('ring')
    },
    end: () => channel.close()
  }
}
