extension APIPage {
  /// The page's style sheet. The page may load no other resource.
  static let style = """
    :root { color-scheme: light dark; --line: #d5d9df; --soft: #f3f5f8; --quiet: #5b6470; --link: #0b57b0;
      --get: #17653a; --post: #0b57b0; --put: #80510a; --delete: #a3222b }
    @media (prefers-color-scheme: dark) {
      :root { --line: #3a414b; --soft: #1d2229; --quiet: #a3adba; --link: #83b6f5;
        --get: #71cf9b; --post: #83b6f5; --put: #e4b667; --delete: #f2918f }
      body { background: #13161a; color: #e4e7eb } }
    * { box-sizing: border-box }
    html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem }
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem;
      overflow-wrap: anywhere }
    h1 { font-size: 1.8rem; line-height: 1.2 }
    h2 { font-size: 1.35rem; margin: 2.5rem 0 .5rem }
    h3 { font-size: 1.05rem; margin: 0 0 .25rem }
    h4 { font-size: .85rem; margin: 1.25rem 0 .25rem; color: var(--quiet); text-transform: uppercase;
      letter-spacing: .05em }
    p { margin: .5rem 0 }
    a { color: var(--link) }
    h3 a { color: inherit; text-decoration: none }
    h3 a:hover { text-decoration: underline }
    code, pre { font: .875em/1.45 ui-monospace, monospace }
    pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .75rem;
      overflow: auto; max-height: 22rem; white-space: pre; overflow-wrap: normal; font-size: .8rem; margin: .5rem 0 }
    pre code { font-size: inherit }
    nav { border: 1px solid var(--line); border-radius: 8px; padding: .25rem 1rem 1rem; margin: 1.5rem 0 }
    nav h2 { font-size: 1rem; margin: 1rem 0 .25rem }
    ul { padding-left: 1.2rem; margin: .25rem 0 }
    nav ul { list-style: none; padding: 0 }
    nav li { margin: .3rem 0 }
    nav a { text-decoration: none }
    nav a:hover { text-decoration: underline }
    section { border-top: 1px solid var(--line); padding: 1.25rem 0 }
    section:target { border-left: 4px solid var(--link); padding-left: .75rem }
    tr:target { background: var(--soft) }
    b { font: 600 .8em/1 ui-monospace, monospace; display: inline-block; min-width: 4.4em }
    .get { color: var(--get) } .post { color: var(--post) }
    .put, .patch { color: var(--put) } .delete { color: var(--delete) }
    .wide { overflow-x: auto }
    table { border-collapse: collapse; width: 100%; font-size: .9rem }
    th, td { text-align: left; vertical-align: top; overflow-wrap: break-word;
      padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line) }
    th { color: var(--quiet); font-weight: 500 }
    td:first-child { white-space: nowrap }
    td:nth-child(2) { min-width: 6.5rem }
    td:last-child { min-width: 10rem }
    dl { margin: 0; display: grid; grid-template-columns: 3.5rem minmax(0, 1fr) }
    dt { font: 600 .9rem/1.6 ui-monospace, monospace }
    dd { margin: 0 0 .75rem }
    .media { color: var(--quiet); font-size: .9rem }
    """
}
