import { render } from 'preact'
import { App } from './app.tsx'
import { onSessionOver } from './api.ts'
import { load, signInAgain } from './session.ts'
import { nativeComplaint } from './asking/complaints.ts'
import { speak } from './texts/index.ts'
import { followLook } from './own/look.ts'
import { toast } from './ui/toast.tsx'

// What stands in no field of ours has no place of its own to say what is wrong with it.
document.addEventListener('invalid', (event) => {
  event.preventDefault()
  const input = event.target as HTMLInputElement
  if (input.closest('.field')) return
  input.focus()
  toast(`${input.ariaLabel ?? input.labels?.[0]?.textContent ?? ''}: ${nativeComplaint(input)}`)
}, true)

// Where the console begins: language and session first, so that the page does not change under the reader's eyes.
onSessionOver(signInAgain)
followLook()
await Promise.all([speak(), load().catch(() => { /* The page says that the server is away, and tries again. */ })])
render(<App />, document.getElementById('app')!)
