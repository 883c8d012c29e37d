/**
 * All texts of the pairing page; the compiler checks that no language lacks one. Placeholders in braces are filled in by
 * the page; the escapes are non-breaking spaces and hyphens.
 */
const english = {
  title: 'Pair a screen',
  noScript: 'This page needs JavaScript, which is switched off in this browser.',
  notLoaded: 'Part of this page did not load. Check the network of this phone, then reload the page.',
  accessKey: 'Access key',
  keyHint:
    'A key with Write scope, from the person who manages your screens. It is stored in this tab only and deleted when you close it.',
  showKey: 'Show the key',
  enter: 'Continue',
  checking: 'Checking…',
  code: 'Code on the screen',
  name: 'Name of the screen',
  nameHint: 'For example “Counter left”. If you leave it empty, the screen chooses a name.',
  store: 'Store',
  noStore: 'No store',
  hangs: 'How the screen is mounted',
  landscape: 'Landscape',
  portrait: 'Portrait',
  landscapeFlipped: 'Landscape, upside down',
  portraitFlipped: 'Portrait, upside down',
  hangsHint: 'The thick edge is the top of the picture.',
  otherKey: 'Use another access key',
  pair: 'Pair this screen',
  pairing: 'Pairing…',
  again: 'Pair another screen',
  paired: 'Paired. Waiting for the screen to respond…',
  pairedSilent: 'Paired, but the screen has not responded yet. It continues as soon as it reaches the cloud.',
  pairedAnswered: 'Paired. The screen has responded and shows this name now.',
  keyStrange: 'An access key has no spaces and no special characters. Copy it again.',
  keyUnknown: 'This access key is not valid: it is mistyped, has expired or was revoked. Enter another one.',
  keyReadOnly: 'This access key is read-only. Pairing needs a key with Write scope.',
  codeShort: 'A code has six letters, such as BCD\u2011FGH. Compare it with the screen, letter by letter.',
  codeStrange:
    'No code contains “{signs}”: codes have no vowels, no Y and no digits. Compare it with the screen, letter by letter.',
  codeWrong: 'No screen shows this code. Compare it with the screen, letter by letter.',
  codeExpired: 'This code has expired. Enter the new one that the screen shows.',
  codeUsed: 'This code has already been used. Check what the screen shows now.',
  storeGone: 'This store has been deleted. Choose another one.',
  locked: 'Too many wrong codes: this key cannot pair for {time}. Wait, or use another key.',
  tooMany: 'Too many requests with this key. Try again in {time}.',
  noNetwork: 'The cloud cannot be reached. Check the network of this phone, then try again.',
  trouble: 'The cloud cannot do this at the moment. Try again.',
  refused: 'The cloud rejects this: {why}',
};

export type Translation = Record<keyof typeof english, string>;

const german: Translation = {
  title: 'Bildschirm koppeln',
  noScript: 'Diese Seite braucht JavaScript; in diesem Browser ist es abgeschaltet.',
  notLoaded:
    'Ein Teil dieser Seite wurde nicht geladen. Das Netz dieses Handys prüfen und die Seite neu laden.',
  accessKey: 'Zugangsschlüssel',
  keyHint:
    'Ein Schlüssel mit Schreibrecht (Write) von der Person, die Ihre Bildschirme verwaltet. Er bleibt nur in diesem Tab und wird beim Schließen gelöscht.',
  showKey: 'Schlüssel anzeigen',
  enter: 'Weiter',
  checking: 'Wird geprüft…',
  code: 'Code auf dem Bildschirm',
  name: 'Name des Bildschirms',
  nameHint: 'Zum Beispiel „Theke links“. Ohne Eingabe wählt der Bildschirm einen Namen.',
  store: 'Filiale',
  noStore: 'Keine Filiale',
  hangs: 'Wie der Bildschirm montiert ist',
  landscape: 'Querformat',
  portrait: 'Hochformat',
  landscapeFlipped: 'Querformat, auf dem Kopf',
  portraitFlipped: 'Hochformat, auf dem Kopf',
  hangsHint: 'Die dicke Kante ist oben im Bild.',
  otherKey: 'Anderen Schlüssel benutzen',
  pair: 'Diesen Bildschirm koppeln',
  pairing: 'Wird gekoppelt…',
  again: 'Noch einen Bildschirm koppeln',
  paired: 'Gekoppelt. Warten auf die Antwort des Bildschirms…',
  pairedSilent:
    'Gekoppelt, aber der Bildschirm hat noch nicht geantwortet. Es geht weiter, sobald er die Cloud erreicht.',
  pairedAnswered: 'Gekoppelt. Der Bildschirm hat geantwortet und zeigt jetzt diesen Namen.',
  keyStrange: 'Ein Schlüssel hat keine Leerzeichen und keine Sonderzeichen. Bitte noch einmal kopieren.',
  keyUnknown:
    'Dieser Schlüssel ist ungültig: vertippt, abgelaufen oder widerrufen. Bitte einen anderen eingeben.',
  keyReadOnly: 'Dieser Schlüssel darf nur lesen. Zum Koppeln braucht es einen mit Schreibrecht (Write).',
  codeShort:
    'Ein Code hat sechs Buchstaben, wie BCD\u2011FGH. Mit dem Bildschirm vergleichen, Buchstabe für Buchstabe.',
  codeStrange:
    'Kein Code enthält „{signs}“: Codes haben keine Vokale, kein Y und keine Ziffern. Mit dem Bildschirm vergleichen, Buchstabe für Buchstabe.',
  codeWrong: 'Kein Bildschirm zeigt diesen Code. Mit dem Bildschirm vergleichen, Buchstabe für Buchstabe.',
  codeExpired: 'Dieser Code ist abgelaufen. Bitte den neuen vom Bildschirm eingeben.',
  codeUsed: 'Dieser Code wurde schon benutzt. Bitte nachsehen, was der Bildschirm jetzt zeigt.',
  storeGone: 'Diese Filiale wurde gelöscht. Bitte eine andere wählen.',
  locked:
    'Zu viele falsche Codes: {time} lang kann dieser Schlüssel nicht koppeln. Warten oder einen anderen benutzen.',
  tooMany: 'Zu viele Anfragen mit diesem Schlüssel. Nächster Versuch in {time}.',
  noNetwork: 'Die Cloud ist nicht erreichbar. Das Netz dieses Handys prüfen und noch einmal versuchen.',
  trouble: 'Die Cloud kann das gerade nicht. Bitte noch einmal versuchen.',
  refused: 'Die Cloud lehnt das ab: {why}',
};

const french: Translation = {
  title: 'Associer un écran',
  noScript: 'Cette page a besoin de JavaScript, qui est désactivé dans ce navigateur.',
  notLoaded:
    'Une partie de cette page n’a pas été chargée. Vérifiez le réseau de ce téléphone, puis rechargez la page.',
  accessKey: 'Clé d’accès',
  keyHint:
    'Une clé avec droit d’écriture (Write), fournie par la personne qui gère vos écrans. Elle reste uniquement dans cet onglet et est supprimée quand vous le fermez.',
  showKey: 'Afficher la clé',
  enter: 'Continuer',
  checking: 'Vérification…',
  code: 'Code affiché à l’écran',
  name: 'Nom de l’écran',
  nameHint: 'Par exemple «\u00a0Comptoir gauche\u00a0». Sans saisie, l’écran choisit un nom.',
  store: 'Magasin',
  noStore: 'Aucun magasin',
  hangs: 'Position de l’écran',
  landscape: 'Paysage',
  portrait: 'Portrait',
  landscapeFlipped: 'Paysage, à l’envers',
  portraitFlipped: 'Portrait, à l’envers',
  hangsHint: 'Le bord épais est le haut de l’image.',
  otherKey: 'Utiliser une autre clé',
  pair: 'Associer cet écran',
  pairing: 'Association…',
  again: 'Associer un autre écran',
  paired: 'Associé. En attente de la réponse de l’écran…',
  pairedSilent: 'Associé, mais l’écran n’a pas encore répondu. Il continuera dès qu’il atteindra le cloud.',
  pairedAnswered: 'Associé. L’écran a répondu et affiche maintenant ce nom.',
  keyStrange: 'Une clé d’accès n’a ni espaces ni caractères spéciaux. Copiez-la de nouveau.',
  keyUnknown:
    'Cette clé d’accès n’est pas valide\u00a0: mal saisie, expirée ou révoquée. Saisissez-en une autre.',
  keyReadOnly:
    'Cette clé d’accès est en lecture seule. Pour associer, il en faut une avec droit d’écriture (Write).',
  codeShort: 'Un code a six lettres, comme BCD\u2011FGH. Comparez-le avec l’écran, lettre par lettre.',
  codeStrange:
    'Aucun code ne contient «\u00a0{signs}\u00a0»\u00a0: les codes n’ont ni voyelles, ni Y, ni chiffres. Comparez-le avec l’écran, lettre par lettre.',
  codeWrong: 'Aucun écran n’affiche ce code. Comparez-le avec l’écran, lettre par lettre.',
  codeExpired: 'Ce code a expiré. Saisissez le nouveau code affiché à l’écran.',
  codeUsed: 'Ce code a déjà été utilisé. Vérifiez ce que l’écran affiche maintenant.',
  storeGone: 'Ce magasin a été supprimé. Choisissez-en un autre.',
  locked:
    'Trop de codes erronés\u00a0: cette clé ne peut rien associer pendant {time}. Attendez ou utilisez une autre clé.',
  tooMany: 'Trop de requêtes avec cette clé. Réessayez dans {time}.',
  noNetwork: 'Le cloud est injoignable. Vérifiez le réseau de ce téléphone, puis réessayez.',
  trouble: 'Le cloud ne peut pas le faire pour le moment. Réessayez.',
  refused: 'Le cloud refuse\u00a0: {why}',
};

const spanish: Translation = {
  title: 'Vincular una pantalla',
  noScript: 'Esta página necesita JavaScript, que está desactivado en este navegador.',
  notLoaded:
    'Una parte de esta página no se ha cargado. Revise la red de este teléfono y vuelva a cargar la página.',
  accessKey: 'Clave de acceso',
  keyHint:
    'Una clave con permiso de escritura (Write), de la persona que gestiona sus pantallas. Se guarda solo en esta pestaña y se borra al cerrarla.',
  showKey: 'Mostrar la clave',
  enter: 'Continuar',
  checking: 'Comprobando…',
  code: 'Código de la pantalla',
  name: 'Nombre de la pantalla',
  nameHint: 'Por ejemplo, «Mostrador izquierda». Si se deja vacío, la pantalla elige un nombre.',
  store: 'Tienda',
  noStore: 'Ninguna tienda',
  hangs: 'Cómo está montada la pantalla',
  landscape: 'Horizontal',
  portrait: 'Vertical',
  landscapeFlipped: 'Horizontal, al revés',
  portraitFlipped: 'Vertical, al revés',
  hangsHint: 'El borde grueso es la parte superior de la imagen.',
  otherKey: 'Usar otra clave',
  pair: 'Vincular esta pantalla',
  pairing: 'Vinculando…',
  again: 'Vincular otra pantalla',
  paired: 'Vinculada. Esperando la respuesta de la pantalla…',
  pairedSilent:
    'Vinculada, pero la pantalla aún no ha respondido. Continuará en cuanto se conecte con la nube.',
  pairedAnswered: 'Vinculada. La pantalla ha respondido y muestra ahora este nombre.',
  keyStrange: 'Una clave de acceso no tiene espacios ni caracteres especiales. Cópiela de nuevo.',
  keyUnknown:
    'Esta clave de acceso no es válida: está mal escrita, ha caducado o se revocó. Introduzca otra.',
  keyReadOnly:
    'Esta clave de acceso solo permite leer. Para vincular hace falta una con permiso de escritura (Write).',
  codeShort: 'Un código tiene seis letras, como BCD\u2011FGH. Compárelo con la pantalla, letra por letra.',
  codeStrange:
    'Ningún código contiene «{signs}»: los códigos no tienen vocales, ni Y, ni cifras. Compárelo con la pantalla, letra por letra.',
  codeWrong: 'Ninguna pantalla muestra este código. Compárelo con la pantalla, letra por letra.',
  codeExpired: 'Este código ha caducado. Introduzca el nuevo que muestra la pantalla.',
  codeUsed: 'Este código ya se ha usado. Compruebe qué muestra la pantalla ahora.',
  storeGone: 'Esta tienda se ha eliminado. Elija otra.',
  locked:
    'Demasiados códigos erróneos: esta clave no puede vincular durante {time}. Espere o use otra clave.',
  tooMany: 'Demasiadas peticiones con esta clave. Vuelva a intentarlo en {time}.',
  noNetwork: 'No se puede conectar con la nube. Revise la red de este teléfono e inténtelo de nuevo.',
  trouble: 'La nube no puede hacerlo en este momento. Inténtelo de nuevo.',
  refused: 'La nube lo rechaza: {why}',
};

const japanese: Translation = {
  title: '画面をペアリング',
  noScript: 'このページには JavaScript が必要ですが、このブラウザーでは無効になっています。',
  notLoaded:
    'このページの一部を読み込めませんでした。このスマートフォンのネットワークを確認してから、ページを読み込み直してください。',
  accessKey: 'アクセスキー',
  keyHint:
    '書き込み権限（Write）のあるキーを、画面の管理者から受け取ってください。キーはこのタブだけに保存され、閉じると削除されます。',
  showKey: 'キーを表示',
  enter: '次へ',
  checking: '確認しています…',
  code: '画面に表示されたコード',
  name: '画面の名前',
  nameHint: '例：「カウンター左」。空欄の場合は、画面が自動で名前を付けます。',
  store: '店舗',
  noStore: '店舗なし',
  hangs: '画面の取り付け方',
  landscape: '横',
  portrait: '縦',
  landscapeFlipped: '横（上下反転）',
  portraitFlipped: '縦（上下反転）',
  hangsHint: '太い辺が、映像の上になる側です。',
  otherKey: '別のアクセスキーを使う',
  pair: 'この画面をペアリング',
  pairing: 'ペアリングしています…',
  again: '別の画面をペアリング',
  paired: 'ペアリングしました。画面の応答を待っています…',
  pairedSilent: 'ペアリングしましたが、画面からまだ応答がありません。クラウドにつながり次第、反映されます。',
  pairedAnswered: 'ペアリングしました。画面から応答があり、この名前を表示しています。',
  keyStrange: 'アクセスキーに空白や特殊な文字は含まれません。もう一度コピーしてください。',
  keyUnknown:
    'このアクセスキーは使えません。入力の誤り、期限切れ、または取り消し済みです。別のキーを入力してください。',
  keyReadOnly: 'このアクセスキーは閲覧専用です。ペアリングには書き込み権限（Write）のあるキーが必要です。',
  codeShort: 'コードは BCD\u2011FGH のような 6 文字です。画面と 1 文字ずつ見比べてください。',
  codeStrange:
    'コードに「{signs}」は含まれません。母音、Y、数字は使われません。画面と 1 文字ずつ見比べてください。',
  codeWrong: 'このコードを表示している画面はありません。画面と 1 文字ずつ見比べてください。',
  codeExpired: 'このコードは期限切れです。画面に表示された新しいコードを入力してください。',
  codeUsed: 'このコードはすでに使われました。画面の表示を確認してください。',
  storeGone: 'この店舗は削除されました。別の店舗を選んでください。',
  locked:
    'コードの誤りが続いたため、このキーでは {time}間ペアリングできません。待つか、別のキーを使ってください。',
  tooMany: 'このキーでの要求が多すぎます。{time}後にもう一度お試しください。',
  noNetwork: 'クラウドに接続できません。このスマートフォンのネットワークを確認して、もう一度お試しください。',
  trouble: '現在、クラウドで実行できません。もう一度お試しください。',
  refused: 'クラウドが拒否しました：{why}',
};

/** By browser language code. */
export const TRANSLATIONS = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
} satisfies Record<string, Translation>;
