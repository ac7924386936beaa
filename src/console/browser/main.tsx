import { render } from 'preact'
import { App } from './app.tsx'
import { onSessionOver } from './api.ts'
import { load, signInAgain } from './session.ts'
import { nativeComplaint } from './asking/complaints.ts'
import { labelled, speak } from './texts/index.ts'
import { followLook } from './own/look.ts'
import { toast } from './ui/toast.tsx'

// Controls outside our Field component have no place of their own for a validation message.
document.addEventListener('invalid', (event) => {
  event.preventDefault()
  const input = event.target as HTMLInputElement
  if (input.closest('.field')) return
  input.focus()
  const label = input.ariaLabel ?? input.labels?.[0]?.textContent ?? ''
  toast(labelled(label, nativeComplaint(input)))
}, true)

// Entry point of the console: language and session first, so that the page does not change while it is read.
onSessionOver(signInAgain)
followLook()
await Promise.all([speak(), load().catch(() => { /* The page says that it is unreachable, and retries. */ })])
render(<App />, document.getElementById('app')!)
