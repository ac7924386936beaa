import { render } from 'preact'
import { App } from './app.tsx'
import { onSessionOver } from './api.ts'
import { load, signInAgain } from './session.ts'
import { speak } from './texts/index.ts'

// Where the console begins: language and session first, so that the page does not change under the reader's eyes.
onSessionOver(signInAgain)
await Promise.all([speak(), load().catch(() => { /* The page says that the server is away, and tries again. */ })])
render(<App />, document.getElementById('app')!)
