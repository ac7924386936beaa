/**
 * A compiler of schemas that compiles each on its first use. A service has hundreds of them, most for answers that are
 * rarely given, and compiling them all took more than half of its start.
 */
export function onFirstUse<Route, Value, Result> (compile: (route: Route) => (value: Value) => Result): (route: Route) => (value: Value) => Result {
  return (route) => {
    let compiled: ((value: Value) => Result) | undefined
    return (value) => (compiled ??= compile(route))(value)
  }
}
