import css from './shown.css'

// With the inbox, not before: what every page waits for at sign-in stays small.
const sheet = new CSSStyleSheet()
sheet.replaceSync(css)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
