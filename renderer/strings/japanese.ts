import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid': '設定に誤りがあります。示された設定を直して、もう一度起動してください。',
  'data.unwritable':
    'データフォルダーに書き込めません。プレーヤーに書き込み権限を与えるか、--data で別のフォルダーを指定してください。',
  'data.locked':
    '別のプレーヤーがこのデータフォルダーを使用中です。それを終了するか、--data で別のフォルダーを指定してください。',
  'store.corrupt':
    'プレーヤーのデータベースが壊れていたため退避し、ディスク上のファイルとクラウドから作り直しています。操作は不要です。',
  'disk.full':
    'ディスクがいっぱいです。画面は手元の内容で続きます。空きを増やすか、キャッシュの上限を上げてください。',
  'disk.readonly':
    'ディスクが読み取り専用です。画面は手元の内容で続きます。ディスクまたは SD カードを確認し、再起動してください。',
  'cloud.unreachable':
    'クラウドに接続できません。画面は手元の内容で続きます。ケーブル、Wi\u2011Fi、サーバーのアドレスを確認してください。',
  'cloud.refused':
    'クラウドが要求を拒否しました。サーバーのアドレスと、クラウドが最新であることを確認してください。',
  'cloud.not_placard':
    '応答はありましたが Placard クラウドではありません。サーバーのアドレスを確認してください。Wi\u2011Fi のログイン画面が原因かもしれません。',
  'cloud.busy': 'クラウドから間隔をあけるよう求められました。自動でやり直します。',
  'cloud.tls': '安全な接続に失敗しました。この端末の日時と、サーバーの証明書を確認してください。',
  'identity.shared':
    '別の端末がこの画面の識別情報を使っています（ディスクの複製）。どちらも再生を続けます。一方のプレーヤーのデータを消去し、ペアリングし直してください。',
  'asset.gone':
    'プレイリストのファイルがクラウドにありません。項目を外すか、ファイルをもう一度アップロードしてください。',
  'asset.not_allowed':
    'このプレーヤーが取得してはならないアドレスにファイルがあります。クラウドの公開アドレス（--public-url）を設定するか、ファイルをクラウド自体にアップロードしてください。',
  'manifest.unknown':
    'クラウドから、このプレーヤーが知らない内容が届きました。それを除いて再生を続けます。プレーヤーを更新してください。内容は障害の詳細に表示されます。',
  'asset.hash_mismatch': 'ファイルが壊れて届いたため破棄しました。もう一度取得します。',
  'asset.download_failed': 'ファイルを取得できませんでした。もう一度試します。',
  'playback.decode_failed':
    'この端末では再生できないファイルがあり、飛ばしています。H.264 の MP4、JPEG、PNG に変換してください。',
  'playback.stalled': '動画が止まったため飛ばしました。後でもう一度試します。',
  'playback.nothing_playable':
    'プレイリストに表示できるものがありません。最後の画像を表示し続けます。プレイリストの項目を確認してください。',
  'plays.dropped':
    '一部の表示を報告できず、集計に含まれていません。件数は障害の詳細にあります。ディスクとクラウドへの接続を確認してください。',
  'stage.lost': '画像を表示するページが応答しなくなったため、再起動しています。',
  'stage.safe_mode':
    '画像を表示するページが何度も異常終了したため、1 時間は画像だけをグラフィックカードなしで表示します。グラフィックドライバーと新しい動画を確認してください。',
  'shell.none':
    '画像を表示する手段がありません。Chromium、Chrome、Edge のいずれかを入れるか、--shell headless で起動してください。',
  'runtime.crashed': 'プレーヤーのプロセスが異常終了したため、再起動しています。画像はそのまま残ります。',
};

export const japanese: Strings = {
  starting: '起動しています',
  pairing: {
    title: 'この画面をペアリング',
    withPhone: 'スマートフォンで読み取る',
    beforeAddress: 'または ',
    afterAddress: ' を開いて、このコードを入力',
    renewsIn: (clock) => `新しいコードまで ${clock}`,
    waiting: 'コードを待っています',
    waitingHint: '画面が自動でサーバーに問い合わせます。',
  },
  paired: {
    title: 'ペアリング完了',
    ready: 'この画面に最初の画像を読み込んでいます。',
  },
  idle: {
    nothing: '現在、予定はありません',
  },
  playerInfo: {
    server: 'サーバー',
    version: 'バージョン',
    serial: 'シリアル番号',
    network: 'ネットワーク',
    noNetwork: 'ネットワークに接続していません',
    wired: '有線',
    wireless: 'Wi\u2011Fi',
  },
  connectivity: {
    steps: { link: 'ネットワーク', address: 'アドレス', dns: 'DNS', server: 'サーバー', clock: '時計' },
    states: { ok: '正常', failed: '異常', waiting: '未確認' },
    hints: {
      no_link: () =>
        'この端末はネットワークにつながっていません。ケーブルを差すか、Wi\u2011Fi に接続してください。',
      no_address: () =>
        'この端末にアドレスが割り当てられていません。ルーター（DHCP）を確認するか、固定アドレスを設定してください。',
      name_not_found: ({ host }) =>
        `${host} という名前が見つかりません。サーバーのアドレスと、このネットワークの DNS を確認してください。`,
      connection_refused: ({ host }) =>
        `${host} が接続を拒否しました。クラウドが動いていることと、ポートが正しいことを確認してください。`,
      no_route: ({ host }) =>
        `このネットワークから ${host} に届きません。ゲートウェイとファイアウォールを確認してください。`,
      no_answer: ({ host }) =>
        `${host} が応答しません。サーバーのアドレスと、ファイアウォールを確認してください。`,
      certificate: ({ host }) =>
        `${host} の証明書を受け入れられません。証明書と、この端末の日時を確認してください。`,
      clock_wrong: ({ date }) =>
        `この端末の日付は ${date} になっているため、どの証明書も有効になりません。日時を合わせてください。`,
      not_placard: ({ host }) =>
        `${host} は応答しますが Placard クラウドではありません。サーバーのアドレスを確認してください。Wi\u2011Fi のログイン画面が原因かもしれません。`,
      refused: ({ host }) =>
        `${host} が要求を拒否しました。サーバーのアドレスと、クラウドが最新であることを確認してください。`,
      busy: ({ host }) => `${host} から間隔をあけるよう求められました。自動でやり直します。`,
      server_error: ({ host }) => `${host} の側で問題が起きています。自動でやり直します。`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: '技術者メニュー',
    back: '戻る',
    close: '閉じる',
    cancel: 'キャンセル',
    loading: 'お待ちください',
    refresh: 'もう一度',
    unknown: '不明',
    noResponse: 'プレーヤーが応答しません。少し待ってから、もう一度お試しください。',
    cloudUnreachable: '現在クラウドに接続できないため、再び読み込むことができません。',
    notPossible: (why) => `実行できませんでした。${why}`,
    readOnly:
      'この画面には PIN が設定されていないため、メニューは表示だけで、何も変更できません。PIN はデバイスの設定か、インストール時に設定できます。',
    pin: {
      title: 'PIN を入力',
      digits: (count) => `${count} 桁入力済み`,
      enter: 'OK',
      erase: '消去',
      wrong: 'PIN が違います。',
      locked: (clock) => `PIN の誤りが続きました。${clock} 後にもう一度お試しください。`,
    },
    network: {
      title: 'ネットワークテスト',
      ok: 'サーバーまで正常につながっています。',
      responseTime: '応答時間',
      milliseconds: (count) => `${count} ミリ秒`,
      clockOffset: '時計のずれ',
      seconds: (count) => `${count} 秒`,
    },
    playing: {
      title: '再生中の内容',
      now: '表示中',
      next: '次',
      nothing: 'なし',
      playlist: 'プレイリスト',
      reason: '理由',
      schedule: (name) => `スケジュール「${name}」`,
      deployment: 'この画面に配信済み',
      none: '予定も配信もありません',
      since: '開始',
      until: '終了',
      kinds: { image: '画像', video: '動画' },
      cloud: 'クラウド',
      connections: { online: '接続済み', offline: '未接続', connecting: '接続中' },
      contentStatus: '番組データ',
      current: '最新',
      loading: '新しいものを読み込み中',
    },
    cache: {
      title: 'キャッシュ',
      used: '使用量',
      limit: '上限',
      noLimit: 'ディスクの容量まで',
      free: 'ディスクの空き',
      files: 'ファイル数',
      missing: '未取得のファイル',
    },
    faults: {
      title: '障害',
      none: '障害はありません。',
      since: (time) => `${time} から`,
    },
    pattern: {
      title: 'テスト画像',
      keys: '矢印キーまたはタップで次へ。「戻る」で終了。',
      kinds: { geometry: '形状', colours: '色', lines: '1 ピクセル線', motion: '動き' },
    },
    orientation: {
      title: '画面の向き',
      note: 'ここでの選択は、クラウドの設定に戻すまで、この端末だけに適用されます。',
      cloud: 'クラウドの設定に従う',
      kinds: {
        landscape: '横',
        portrait: '縦',
        'landscape-flipped': '横（上下反転）',
        'portrait-flipped': '縦（上下反転）',
      },
    },
    logs: {
      title: 'ログを保存',
      question:
        'ログと状態を、秘密の情報を除いて、この端末のディスクに書き込みます。USB メモリーがあれば、そこにも書き込みます。',
      confirm: '保存',
      saved: '保存先：',
    },
    clearCache: {
      title: 'キャッシュを消去',
      question:
        '保存したメディアをすべて消去しますか。表示中の内容は、メディアが再び読み込まれるまで残ります。',
      confirm: '消去',
      done: 'キャッシュを消去しました。自動で再び読み込みます。',
    },
    rePair: {
      title: 'ペアリングし直す',
      question:
        'このペアリングを解除しますか。新しいコードが表示され、ペアリングされるまで何も再生しません。',
      confirm: '解除',
      done: 'まもなく新しいコードが表示されます。',
    },
    restart: {
      title: 'プレーヤーを再起動',
      question: 'プレーヤーを再起動しますか。数秒で画像が戻ります。',
      confirm: '再起動',
      done: 'プレーヤーを再起動しています。',
    },
    reboot: {
      title: '端末を再起動',
      question: 'この端末を再起動しますか。1 分ほど画面が暗くなります。',
      confirm: '再起動',
      done: '端末を再起動しています。',
    },
  },
};
