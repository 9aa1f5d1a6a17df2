/** The page's texts by language. Every language has a text for each key. `say` replaces {placeholders} by values. */
export const texts = {
  en: {
    'language.own': 'English', language: 'Language', skip: 'Skip to the map', views: 'Views', close: 'Close',
    cancel: 'Cancel', back: 'Back', more: 'Show more', undo: 'Undo', api: 'API', admin: 'Operator',
    'tab.map': 'Map', 'tab.table': 'Table', 'tab.posts': 'My posts',
    refresh: 'Refresh', refreshed: 'The list is up to date.', add: 'Add a pin', 'own.show': 'My pin', own: 'yours',
    'age.now': 'just now', 'no-link': 'no link',
    'zoom.in': 'Zoom in', 'zoom.out': 'Zoom out',

    'connection.connecting': 'Connecting …', 'connection.connecting.more': 'Loading the latest posts.',
    'connection.live': 'Live', 'connection.live.more': 'Changes appear immediately.',
    'connection.stale': 'Delayed', 'connection.stale.more':
      'The server sends no updates right now, so the list may be out of date.',
    'connection.reconnecting': 'Reconnecting …', 'connection.reconnecting.more':
      'Live updates are interrupted. Until they are back, the list refreshes every few seconds.',
    'connection.polling': 'Updates every {seconds} s', 'connection.polling.more':
      'This map has no live updates. The list refreshes by itself every few seconds.',
    'connection.paused': 'Paused', 'connection.paused.more': 'Updates resume when you return to this page.',
    'connection.offline': 'Offline', 'connection.offline.more':
      'Can’t reach the server. You see the last known list. The page reconnects by itself.',
    'connection.members-only': 'Members only', 'connection.members-only.more': 'Sign in to see the map.',
    'connection.operators-only': 'Operators only',
    'members-only': 'This map is for members. Sign in to see it.',

    'pin.of': '{name}: {place}', 'pin.own': 'Yours: {place}', 'pin.many': { one: '{n} pin', other: '{n} pins' },
    'pin.older': 'This post is older than the latest 100, so it has no pin. The map shows its place.',
    'news.one': 'New: {name}, {place}', 'news.many': { one: '{n} new pin', other: '{n} new pins' },

    'table.title': 'The latest posts', 'table.empty': 'Nobody is on the map yet. Be the first.',
    'column.name': 'Name', 'column.place': 'Place', 'column.link': 'Link', 'column.age': 'Age',
    search: 'Search', 'search.hint': 'Name, place or link', 'search.none': 'No posts match your search.',

    'sign-in': 'Sign in', 'sign-out': 'Sign out', 'sign-up': 'Sign up', 'sign-in.with': 'Sign in with {name}',
    'sign-in.needed': 'You need an account for this.',
    'sign-in.expired': 'Your session has ended. Sign in again to continue where you were.',
    'sign-in.instead': 'Already have an account?', 'sign-up.instead': 'New here?',
    email: 'Email address', password: 'Password', 'password.hint': 'At least 8 characters.',
    'first-name': 'First name', 'last-name': 'Last name',
    'account.of': 'Account of {name}',
    'signed-out': 'You are signed out.', 'sign-out.failed': 'You are still signed in. {reason}',

    adding: 'Add a pin', 'adding.edit': 'Edit your pin', 'adding.step': 'Step {step} of 3',
    'adding.place': 'Where are you?', 'adding.place.example': 'Seattle, WA',
    'adding.place.hint':
      'A city, a region, a country or a postcode. In the next step you can move the pin to the exact spot.',
    'adding.place.empty': 'Enter a place, for example “Costa Rica” or “Seattle, WA”.',
    'adding.find': 'Find', 'adding.position': 'Use my location',
    'adding.not-found': 'We can’t find “{place}”. Check the spelling, or try a larger place nearby.',
    'adding.position.refused': 'Location access is blocked. Allow it in your browser, or enter a place.',
    'adding.position.unavailable': 'Your device can’t find your location. Enter a place instead.',
    'adding.position.nowhere': 'We don’t know a place near you. Enter a place instead.',
    'adding.which': 'Which one do you mean?', 'adding.preview': 'Preview of your pin',
    'adding.drag': 'Drag the pin to the exact spot, or move it with the arrow keys.',
    'adding.moved': 'The pin is at your exact spot.', 'adding.use': 'Use this place',
    'adding.link': 'Your link', 'adding.link.hint': 'The web address that people open from your pin.',
    'adding.link.opens': 'Opens {link}',
    'adding.again': 'You already have a pin', 'adding.another': 'Add another pin',
    'adding.replace': 'Move my pin from {place}', 'adding.submit': 'Put me on the map', 'adding.save': 'Save',
    'adding.done': 'You are on the map: {place}', 'adding.saved': 'Your post is saved: {place}',
    'adding.queued': 'Your pin for {place} is saved. It appears as soon as we have found the place.',
    suggestions: 'Suggestions',
    'understood.part': 'We don’t know “{unmatched}”, only “{matched}”.',
    'understood.left-out': 'We searched for “{matched}” and ignored “{unmatched}”.',
    'understood.wider': 'We found only a larger area: {label}.',
    'understood.fuzzy': 'We don’t know “{matched}”. The closest name is “{label}”.',
    'understood.degraded': 'Street search is unavailable right now.',
    'exact.country':
      'The pin is in the middle of the country. Drag it to the exact spot, or go back and enter your city.',
    'exact.region':
      'The pin is in the middle of the region. Drag it to the exact spot, or go back and enter your city.',
    'exact.county':
      'The pin is in the middle of the county. Drag it to the exact spot, or go back and enter your city.',
    'exact.city':
      'The pin is in the middle of the city. Drag it to the exact spot, or go back and enter your postcode.',
    'exact.postcode': 'The pin is in the middle of the postcode area. Drag it to the exact spot.',
    'exact.street': 'The pin is somewhere along the street. Drag it to the exact spot.',
    'level.country': 'country', 'level.region': 'region', 'level.county': 'county', 'level.city': 'city',
    'level.postcode': 'postcode', 'level.street': 'street', 'level.house': 'address',
    'link.empty': 'Enter a web address such as example.org/ada.',
    'link.character': 'A web address can’t contain spaces or any of \\ < > " { } | ^ `.',
    'link.scheme': 'This is not a web address. Enter one such as example.org/ada.',
    'link.credentials': 'Links can’t contain a name or password before an @. Enter the address of your page.',
    'link.host': 'Enter a full web address such as example.org/ada.',
    'link.long': 'This link is longer than 2,048 bytes. Use a shorter one.',

    'posts.title': 'My posts', 'posts.empty': 'You have no posts yet.',
    'posts.signed-out': 'Sign in to see your posts.',
    show: 'Show', edit: 'Edit', delete: 'Delete', 'show.post': 'Show {place} on the map',
    'edit.post': 'Edit {place}', 'delete.post': 'Delete {place}',
    'state.queued': 'finding the place', 'state.published': 'on the map', 'state.rejected': 'not on the map',
    'state.dead': 'delayed',
    'reason.place_not_found': 'We can’t find this place. Edit the post, or delete it.',
    deleted: '“{place}” is deleted.', 'delete.failed': 'Couldn’t delete the post, so it is back. {reason}',

    'admin.title': 'Operator', 'admin.skip': 'Skip to the figures', 'admin.map': 'To the map',
    'admin.signed-out': 'Sign in with an operator account to see the queue.', 'admin.figures': 'The queue',
    'admin.depth': 'Queue', 'admin.oldest': 'Oldest post', 'admin.rates': 'Posts per second',
    'admin.accepted': 'Accepted', 'admin.completed': 'Completed', 'admin.failed': 'Failed', 'admin.workers': 'Workers',
    'admin.dead': 'Dead posts', 'admin.subscribers': 'Subscribers', 'admin.feeds': 'Feeds',
    'admin.ago': '{time} ago', 'admin.now': 'now', 'admin.plotted': '{name}: now {now}, at most {most}.',
    'admin.pause': 'Pause queue', 'admin.resume': 'Resume queue',
    'admin.paused': 'Queue paused. New posts are accepted and wait.', 'admin.resumed': 'Queue resumed.',
    'admin.paused-since':
      'Queue paused since {since}. New posts are accepted and wait. Nobody can add a pin on the page meanwhile.',
    'admin.refusing':
      'New posts are refused, because a post has waited {limit} or longer for a worker. Start or add workers.',
    'admin.disk-full':
      'Disk full or nearly full since {since}. Posts and logins that do not fit are refused. Free some space.',
    'admin.disk': 'Disk free',
    'admin.workers.none': 'No worker is connected. Posts wait. Nobody can add a pin on the page meanwhile.',
    'admin.feeds.none': 'No feed is connected. The map has no live updates.',
    'admin.credit': 'Credit', 'admin.leases': 'Leases', 'admin.answered': 'Results', 'admin.jobs': 'Jobs',
    'admin.failures': 'Failures', 'admin.last-seen': 'Last seen', 'admin.seq': 'Sequence number',
    'admin.reason': 'Reason', 'admin.any': 'any', 'admin.failed-attempts': 'Failed attempts', 'admin.since': 'Since',
    'admin.select': 'Select {place}', 'admin.select-all': 'Select all shown',
    'admin.retry': 'Retry', 'admin.discard': 'Discard', 'admin.retry-all': 'Retry all',
    'admin.dead.none': 'No dead posts.',
    'admin.done.retry': { one: '{n} post is back in the queue.', other: '{n} posts are back in the queue.' },
    'admin.done.discard': { one: '{n} post is discarded.', other: '{n} posts are discarded.' },
    'event.failed': 'attempt failed', 'event.lease_lost': 'lease lost', 'event.died': 'moved to dead posts',
    'event.retried': 'retried by an operator', 'event.discarded': 'discarded by an operator',
    'admin.unchanged': { one: '{n} post was no longer dead.', other: '{n} posts were no longer dead.' },
    'admin.discard.title': { one: 'Discard {n} post?', other: 'Discard {n} posts?' },
    'admin.discard.more': 'This can’t be undone. Owners see a discarded post as “not on the map”.',

    'problem.offline': 'No connection to the server. Nothing is lost. Try again in a moment.',
    'problem.unknown': 'Something went wrong. Try again.', 'problem.other': 'The server replied: {detail}',
    'problem.bad_credentials': 'Wrong email address or password. Check both.',
    'problem.too_many_logins': {
      one: 'Too many attempts. Try again in {n} second.', other: 'Too many attempts. Try again in {n} seconds.' },
    'login-error.too_many_logins': 'Too many attempts. Wait a few minutes, then try again.',
    'problem.too_many_sign_ups': {
      one: 'Too many new accounts from your network. Try again in {n} second.',
      other: 'Too many new accounts from your network. Try again in {n} seconds.' },
    'problem.email_taken': 'This email address already has an account. Sign in instead.',
    'problem.sign_up_closed': 'Sign-up is closed. Ask the operator for an account.',
    'problem.invalid_email': 'Enter a valid email address, for example ada@example.org.',
    'problem.invalid_password':
      'This password is too short or too common. Use at least 8 characters that are hard to guess.',
    'problem.invalid_firstName': 'Enter a first name of at most 100 characters.',
    'problem.invalid_lastName': 'Use at most 100 characters.',
    'problem.account_disabled': 'This account is disabled. Contact the operator.',
    'problem.login_denied': 'Sign-in with the provider was not finished. Try again, or use another way to sign in.',
    'problem.login_not_in_progress': 'This sign-in took too long, or began in another browser. Start again.',
    'problem.identity_refused': 'The provider did not confirm this sign-in. Sign in there again.',
    'problem.provider_unavailable':
      'The provider does not respond. Try again in a moment, or use another way to sign in.',
    'problem.oidc_disabled': 'This way to sign in is not available here. Use another way.',
    'problem.geocoder_unavailable':
      'Place search is unavailable right now. Your text is saved. Try again in a moment.',
    'problem.place_not_found': 'We can’t find this place. Check the spelling, or try a larger place nearby.',
    'problem.invalid_place': 'This place can’t be used: {detail}',
    'problem.invalid_link': 'This link can’t be used: {detail}',
    'problem.too_many_posts': {
      one: 'Too many posts in a short time. Try again in {n} second.',
      other: 'Too many posts in a short time. Try again in {n} seconds.' },
    'problem.busy': 'The server is busy. Nothing is lost. Try again in a moment.',
    'problem.disk_full': 'The server is out of disk space. Nothing is lost. Try again later.',
    'problem.store_unavailable': 'The server can’t save anything right now. Nothing is lost. Try again later.',
    'problem.post_not_found': 'This post no longer exists.', 'problem.post_deleted': 'This post is deleted.',
    'problem.post_queued': 'We are still finding the place of this post. Try again in a moment.',
    'problem.session_required': 'You are signed out. Sign in again.',
    'problem.operator_required': 'This page is for operators. Sign in with an operator account.',
  },

  de: {
    'language.own': 'Deutsch', language: 'Sprache', skip: 'Zur Karte springen', views: 'Ansichten',
    close: 'Schließen', cancel: 'Abbrechen', back: 'Zurück', more: 'Mehr anzeigen', undo: 'Rückgängig', api: 'API',
    admin: 'Betrieb',
    'tab.map': 'Karte', 'tab.table': 'Tabelle', 'tab.posts': 'Meine Einträge',
    refresh: 'Aktualisieren', refreshed: 'Die Liste ist auf dem neuesten Stand.', add: 'Pin setzen',
    'own.show': 'Mein Pin', own: 'von dir', 'age.now': 'gerade eben', 'no-link': 'kein Link',
    'zoom.in': 'Vergrößern', 'zoom.out': 'Verkleinern',

    'connection.connecting': 'Verbinde …', 'connection.connecting.more': 'Die neuesten Einträge werden geladen.',
    'connection.live': 'Live', 'connection.live.more': 'Änderungen erscheinen sofort.',
    'connection.stale': 'Verzögert', 'connection.stale.more':
      'Der Server schickt gerade keine Änderungen. Die Liste ist vielleicht nicht aktuell.',
    'connection.reconnecting': 'Verbinde neu …', 'connection.reconnecting.more':
      'Die Live-Verbindung ist unterbrochen. Bis sie wieder da ist, wird die Liste alle paar Sekunden geladen.',
    'connection.polling': 'Alle {seconds} s neu', 'connection.polling.more':
      'Diese Karte hat keine Live-Verbindung. Die Liste wird von selbst alle paar Sekunden geladen.',
    'connection.paused': 'Pausiert', 'connection.paused.more': 'Es geht weiter, sobald du die Seite wieder ansiehst.',
    'connection.offline': 'Offline', 'connection.offline.more':
      'Der Server ist nicht erreichbar. Du siehst den letzten Stand. Die Seite verbindet sich von selbst neu.',
    'connection.members-only': 'Nur für Mitglieder',
    'connection.members-only.more': 'Melde dich an, um die Karte zu sehen.',
    'connection.operators-only': 'Nur für Betreiber',
    'members-only': 'Diese Karte ist für Mitglieder. Melde dich an, um sie zu sehen.',

    'pin.of': '{name}: {place}', 'pin.own': 'Von dir: {place}', 'pin.many': { one: '{n} Pin', other: '{n} Pins' },
    'pin.older': 'Dieser Eintrag ist nicht unter den neuesten 100 und hat keinen Pin. Die Karte zeigt seinen Ort.',
    'news.one': 'Neu: {name}, {place}', 'news.many': { one: '{n} neuer Pin', other: '{n} neue Pins' },

    'table.title': 'Die neuesten Einträge', 'table.empty': 'Noch ist niemand auf der Karte. Mach den Anfang.',
    'column.name': 'Name', 'column.place': 'Ort', 'column.link': 'Link', 'column.age': 'Alter',
    search: 'Suche', 'search.hint': 'Name, Ort oder Link', 'search.none': 'Kein Eintrag passt zu deiner Suche.',

    'sign-in': 'Anmelden', 'sign-out': 'Abmelden', 'sign-up': 'Registrieren', 'sign-in.with': 'Anmelden mit {name}',
    'sign-in.needed': 'Dafür brauchst du ein Konto.',
    'sign-in.expired': 'Deine Sitzung ist beendet. Melde dich neu an, dann machst du dort weiter, wo du warst.',
    'sign-in.instead': 'Du hast schon ein Konto?', 'sign-up.instead': 'Neu hier?',
    email: 'E-Mail-Adresse', password: 'Passwort', 'password.hint': 'Mindestens 8 Zeichen.',
    'first-name': 'Vorname', 'last-name': 'Nachname',
    'account.of': 'Konto von {name}',
    'signed-out': 'Du bist abgemeldet.', 'sign-out.failed': 'Du bist noch angemeldet. {reason}',

    adding: 'Pin setzen', 'adding.edit': 'Pin bearbeiten', 'adding.step': 'Schritt {step} von 3',
    'adding.place': 'Wo bist du?', 'adding.place.example': 'Köln',
    'adding.place.hint':
      'Eine Stadt, eine Region, ein Land oder eine Postleitzahl. Danach kannst du den Pin an die genaue Stelle ziehen.',
    'adding.place.empty': 'Gib einen Ort an, zum Beispiel „Costa Rica“ oder „Köln“.',
    'adding.find': 'Suchen', 'adding.position': 'Mein Standort',
    'adding.not-found':
      'Wir finden „{place}“ nicht. Prüfe die Schreibweise, oder nimm einen größeren Ort in der Nähe.',
    'adding.position.refused': 'Dein Standort ist gesperrt. Erlaube ihn im Browser, oder gib einen Ort an.',
    'adding.position.unavailable': 'Dein Gerät findet deinen Standort nicht. Gib stattdessen einen Ort an.',
    'adding.position.nowhere': 'Wir kennen keinen Ort in deiner Nähe. Gib stattdessen einen Ort an.',
    'adding.which': 'Welcher Ort ist gemeint?', 'adding.preview': 'Vorschau deines Pins',
    'adding.drag': 'Zieh den Pin an die genaue Stelle, oder schieb ihn mit den Pfeiltasten.',
    'adding.moved': 'Der Pin steht an deiner genauen Stelle.', 'adding.use': 'Übernehmen',
    'adding.link': 'Dein Link', 'adding.link.hint': 'Die Webadresse, die sich von deinem Pin aus öffnen lässt.',
    'adding.link.opens': 'Öffnet {link}',
    'adding.again': 'Du hast schon einen Pin', 'adding.another': 'Noch einen Pin setzen',
    'adding.replace': 'Meinen Pin von {place} versetzen', 'adding.submit': 'Auf die Karte', 'adding.save': 'Speichern',
    'adding.done': 'Du bist auf der Karte: {place}', 'adding.saved': 'Dein Eintrag ist gespeichert: {place}',
    'adding.queued': 'Dein Pin für {place} ist gespeichert. Er erscheint, sobald wir den Ort gefunden haben.',
    suggestions: 'Vorschläge',
    'understood.part': 'Wir kennen „{unmatched}“ nicht, nur „{matched}“.',
    'understood.left-out': 'Wir haben nach „{matched}“ gesucht und „{unmatched}“ weggelassen.',
    'understood.wider': 'Wir haben nur ein größeres Gebiet gefunden: {label}.',
    'understood.fuzzy': 'Wir kennen „{matched}“ nicht. Am nächsten kommt „{label}“.',
    'understood.degraded': 'Straßen lassen sich gerade nicht suchen.',
    'exact.country':
      'Der Pin steht mitten im Land. Zieh ihn an die genaue Stelle, oder geh zurück und gib deinen Ort an.',
    'exact.region':
      'Der Pin steht mitten in der Region. Zieh ihn an die genaue Stelle, oder geh zurück und gib deinen Ort an.',
    'exact.county':
      'Der Pin steht mitten im Landkreis. Zieh ihn an die genaue Stelle, oder geh zurück und gib deinen Ort an.',
    'exact.city':
      'Der Pin steht mitten im Ort. Zieh ihn an die genaue Stelle, oder geh zurück und gib deine Postleitzahl an.',
    'exact.postcode': 'Der Pin steht mitten im Gebiet der Postleitzahl. Zieh ihn an die genaue Stelle.',
    'exact.street': 'Der Pin steht irgendwo an der Straße. Zieh ihn an die genaue Stelle.',
    'level.country': 'Land', 'level.region': 'Region', 'level.county': 'Landkreis', 'level.city': 'Ort',
    'level.postcode': 'Postleitzahl', 'level.street': 'Straße', 'level.house': 'Adresse',
    'link.empty': 'Gib eine Webadresse an, zum Beispiel example.org/ada.',
    'link.character': 'Eine Webadresse enthält keine Leerzeichen und nichts von \\ < > " { } | ^ `.',
    'link.scheme': 'Das ist keine Webadresse. Gib eine an, zum Beispiel example.org/ada.',
    'link.credentials': 'Links enthalten keinen Namen und kein Passwort vor einem @. Gib die Adresse deiner Seite an.',
    'link.host': 'Gib eine vollständige Webadresse an, zum Beispiel example.org/ada.',
    'link.long': 'Dieser Link ist länger als 2.048 Bytes. Nimm einen kürzeren.',

    'posts.title': 'Meine Einträge', 'posts.empty': 'Du hast noch keine Einträge.',
    'posts.signed-out': 'Melde dich an, um deine Einträge zu sehen.',
    show: 'Zeigen', edit: 'Bearbeiten', delete: 'Löschen', 'show.post': '{place} auf der Karte zeigen',
    'edit.post': '{place} bearbeiten', 'delete.post': '{place} löschen',
    'state.queued': 'Ort wird gesucht', 'state.published': 'auf der Karte', 'state.rejected': 'nicht auf der Karte',
    'state.dead': 'verzögert',
    'reason.place_not_found': 'Wir finden diesen Ort nicht. Bearbeite den Eintrag, oder lösche ihn.',
    deleted: '„{place}“ ist gelöscht.',
    'delete.failed': 'Der Eintrag ließ sich nicht löschen und ist wieder da. {reason}',

    'admin.title': 'Betrieb', 'admin.skip': 'Zu den Zahlen springen', 'admin.map': 'Zur Karte',
    'admin.signed-out': 'Melde dich mit einem Betreiberkonto an, um die Warteschlange zu sehen.',
    'admin.figures': 'Die Warteschlange',
    'admin.depth': 'Warteschlange', 'admin.oldest': 'Ältester Eintrag', 'admin.rates': 'Einträge pro Sekunde',
    'admin.accepted': 'Angenommen', 'admin.completed': 'Erledigt', 'admin.failed': 'Fehlgeschlagen',
    'admin.workers': 'Worker', 'admin.dead': 'Tote Einträge', 'admin.subscribers': 'Abonnenten',
    'admin.feeds': 'Feeds', 'admin.ago': 'vor {time}', 'admin.now': 'jetzt',
    'admin.plotted': '{name}: jetzt {now}, höchstens {most}.',
    'admin.pause': 'Warteschlange anhalten', 'admin.resume': 'Warteschlange fortsetzen',
    'admin.paused': 'Warteschlange angehalten. Neue Einträge werden angenommen und warten.',
    'admin.resumed': 'Warteschlange fortgesetzt.',
    'admin.paused-since':
      'Warteschlange angehalten seit {since}. Neue Einträge werden angenommen und warten. '
      + 'Bis dahin kann auf der Seite niemand einen Pin setzen.',
    'admin.refusing':
      'Neue Einträge werden abgelehnt, weil ein Eintrag seit {limit} oder länger auf einen Worker wartet. '
      + 'Starte weitere Worker.',
    'admin.disk-full':
      'Datenträger voll oder fast voll seit {since}. Einträge und Anmeldungen, die nicht passen, werden abgelehnt. '
      + 'Gib Platz frei.',
    'admin.disk': 'Freier Platz auf dem Datenträger',
    'admin.workers.none':
      'Kein Worker ist verbunden. Einträge warten. Bis dahin kann auf der Seite niemand einen Pin setzen.',
    'admin.feeds.none': 'Kein Feed ist verbunden. Die Karte hat keine Live-Verbindung.',
    'admin.credit': 'Nimmt noch', 'admin.leases': 'In Arbeit', 'admin.answered': 'Ergebnisse',
    'admin.jobs': 'Aufträge', 'admin.failures': 'Fehler', 'admin.last-seen': 'Zuletzt gesehen',
    'admin.seq': 'Letzte Änderung',
    'admin.reason': 'Grund', 'admin.any': 'jeder', 'admin.failed-attempts': 'Fehlversuche', 'admin.since': 'Seit',
    'admin.select': '{place} auswählen', 'admin.select-all': 'Alle gezeigten auswählen',
    'admin.retry': 'Noch einmal', 'admin.discard': 'Verwerfen', 'admin.retry-all': 'Alle noch einmal',
    'admin.dead.none': 'Keine toten Einträge.',
    'admin.done.retry': {
      one: '{n} Eintrag ist wieder in der Warteschlange.', other: '{n} Einträge sind wieder in der Warteschlange.' },
    'admin.done.discard': { one: '{n} Eintrag ist verworfen.', other: '{n} Einträge sind verworfen.' },
    'event.failed': 'Versuch fehlgeschlagen', 'event.lease_lost': 'vom Worker nicht beendet',
    'event.died': 'zu den toten Einträgen verschoben',
    'event.retried': 'vom Betreiber noch einmal versucht', 'event.discarded': 'vom Betreiber verworfen',
    'admin.unchanged': { one: '{n} Eintrag war nicht mehr tot.', other: '{n} Einträge waren nicht mehr tot.' },
    'admin.discard.title': { one: '{n} Eintrag verwerfen?', other: '{n} Einträge verwerfen?' },
    'admin.discard.more':
      'Das lässt sich nicht rückgängig machen. Besitzer sehen einen verworfenen Eintrag als „nicht auf der Karte“.',

    'problem.offline': 'Der Server ist nicht erreichbar. Nichts ist verloren. Versuch es gleich noch einmal.',
    'problem.unknown': 'Etwas ist schiefgegangen. Versuch es noch einmal.',
    'problem.other': 'Der Server antwortet: {detail}',
    'problem.bad_credentials': 'E-Mail-Adresse oder Passwort ist falsch. Prüfe beides.',
    'problem.too_many_logins': {
      one: 'Zu viele Versuche. Versuch es in {n} Sekunde noch einmal.',
      other: 'Zu viele Versuche. Versuch es in {n} Sekunden noch einmal.' },
    'login-error.too_many_logins': 'Zu viele Versuche. Warte ein paar Minuten, und versuch es dann noch einmal.',
    'problem.too_many_sign_ups': {
      one: 'Zu viele neue Konten aus deinem Netz. Versuch es in {n} Sekunde noch einmal.',
      other: 'Zu viele neue Konten aus deinem Netz. Versuch es in {n} Sekunden noch einmal.' },
    'problem.email_taken': 'Diese E-Mail-Adresse hat schon ein Konto. Melde dich an.',
    'problem.sign_up_closed': 'Die Registrierung ist geschlossen. Bitte den Betreiber um ein Konto.',
    'problem.invalid_email': 'Gib eine gültige E-Mail-Adresse an, zum Beispiel ada@example.org.',
    'problem.invalid_password':
      'Dieses Passwort ist zu kurz oder zu bekannt. Nimm mindestens 8 Zeichen, die schwer zu erraten sind.',
    'problem.invalid_firstName': 'Gib einen Vornamen mit höchstens 100 Zeichen an.',
    'problem.invalid_lastName': 'Nimm höchstens 100 Zeichen.',
    'problem.account_disabled': 'Dieses Konto ist gesperrt. Wende dich an den Betreiber.',
    'problem.login_denied':
      'Die Anmeldung beim Anbieter wurde nicht beendet. Versuch es noch einmal, oder melde dich anders an.',
    'problem.login_not_in_progress':
      'Diese Anmeldung hat zu lange gedauert oder in einem anderen Browser begonnen. Beginne noch einmal.',
    'problem.identity_refused': 'Der Anbieter hat diese Anmeldung nicht bestätigt. Melde dich dort noch einmal an.',
    'problem.provider_unavailable':
      'Der Anbieter antwortet nicht. Versuch es gleich noch einmal, oder melde dich anders an.',
    'problem.oidc_disabled': 'Diese Art der Anmeldung gibt es hier nicht. Nimm eine andere.',
    'problem.geocoder_unavailable':
      'Orte lassen sich gerade nicht suchen. Dein Text ist gespeichert. Versuch es gleich noch einmal.',
    'problem.place_not_found':
      'Wir finden diesen Ort nicht. Prüfe die Schreibweise, oder nimm einen größeren Ort in der Nähe.',
    'problem.invalid_place': 'Dieser Ort geht nicht: {detail}',
    'problem.invalid_link': 'Dieser Link geht nicht: {detail}',
    'problem.too_many_posts': {
      one: 'Zu viele Einträge in kurzer Zeit. Versuch es in {n} Sekunde noch einmal.',
      other: 'Zu viele Einträge in kurzer Zeit. Versuch es in {n} Sekunden noch einmal.' },
    'problem.busy': 'Der Server ist ausgelastet. Nichts ist verloren. Versuch es gleich noch einmal.',
    'problem.disk_full':
      'Der Server hat keinen Speicherplatz mehr. Nichts ist verloren. Versuch es später noch einmal.',
    'problem.store_unavailable':
      'Der Server kann gerade nichts speichern. Nichts ist verloren. Versuch es später noch einmal.',
    'problem.post_not_found': 'Diesen Eintrag gibt es nicht mehr.',
    'problem.post_deleted': 'Dieser Eintrag ist gelöscht.',
    'problem.post_queued': 'Der Ort dieses Eintrags wird noch gesucht. Versuch es gleich noch einmal.',
    'problem.session_required': 'Du bist abgemeldet. Melde dich neu an.',
    'problem.operator_required': 'Diese Seite ist für Betreiber. Melde dich mit einem Betreiberkonto an.',
  },
};
