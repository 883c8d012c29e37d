import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid': '設定に誤りがあります。ログに示された設定を修正し、プレーヤーを再起動してください。',
  'data.unwritable':
    'データフォルダーに書き込めません。プレーヤーに書き込み権限を与えるか、--data で別のフォルダーを指定してください。',
  'data.locked':
    '別のプレーヤーがこのデータフォルダーを使用しています。そのプレーヤーを終了するか、--data で別のフォルダーを指定してください。',
  'store.corrupt':
    'プレーヤーのデータベースが壊れていました。退避し、ディスク上のファイルとクラウドから再構築しました。操作は不要です。',
  'disk.full':
    'ディスクがいっぱいです。保存済みのメディアで再生を続けます。空き容量を増やすか、キャッシュの上限を上げてください。',
  'disk.readonly':
    'ディスクが読み取り専用です。保存済みのメディアで再生を続けます。ディスクまたは SD カードを確認し、再起動してください。',
  'cloud.unreachable':
    'クラウドに接続できません。保存済みのメディアで再生を続けます。ケーブル、Wi\u2011Fi、サーバーのアドレスを確認してください。',
  'cloud.refused':
    'クラウドが要求を拒否しました。サーバーのアドレスと、クラウドが最新であることを確認してください。',
  'cloud.not_placard':
    'サーバーは応答しましたが、Placard クラウドではありません。サーバーのアドレスと、ネットワークのログイン画面の有無を確認してください。',
  'cloud.busy': 'クラウドから待機を求められました。自動で再試行します。',
  'cloud.tls': '安全な接続に失敗しました。この端末の日時と、サーバーの証明書を確認してください。',
  'identity.shared':
    'ディスクが複製されたため、別の端末と識別情報が重複しています。どちらも再生を続けます。一方のデータフォルダーを消去し、ペアリングし直してください。',
  'asset.gone':
    'プレイリストのファイルがクラウドにありません。項目をプレイリストから外すか、ファイルをもう一度アップロードしてください。',
  'asset.not_allowed':
    'このプレーヤーがダウンロードを許可されていないサーバーにファイルがあります。クラウドの公開アドレス（--public-url）を設定するか、ファイルをクラウドにアップロードしてください。',
  'manifest.unknown':
    'このバージョンのプレーヤーが対応していない内容がクラウドから届きました。それを除いて再生を続けます。プレーヤーを更新してください。',
  'asset.hash_mismatch': 'ファイルが転送中に壊れたため破棄しました。もう一度ダウンロードします。',
  'asset.download_failed': 'ファイルをダウンロードできませんでした。自動で再試行します。',
  'playback.decode_failed':
    'この端末では再生できないファイルがあり、スキップしています。H.264 の MP4、JPEG、PNG に変換してください。',
  'playback.stalled': '動画が止まったため、スキップしました。後でもう一度試します。',
  'playback.nothing_playable':
    'プレイリストに表示できる項目がありません。最後の画像を表示し続けます。プレイリストの項目を確認してください。',
  'plays.dropped': '一部の再生記録が集計に含まれていません。ディスクとネットワークを確認してください。',
  'stage.lost': 'メディアを表示するページが応答しなくなりました。自動で再起動します。',
  'stage.safe_mode':
    'メディアを表示するページが何度も異常終了しました。1 時間は、画像だけをグラフィックカードなしで表示します。グラフィックドライバーと新しい動画を確認してください。',
  'shell.none':
    '表示に使うブラウザーが見つかりません。Chromium、Chrome、Edge のいずれかをインストールするか、--shell headless で起動してください。',
  'runtime.crashed': 'プレーヤーのプロセスが異常終了しました。自動で再起動します。画像はそのまま残ります。',
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
    waitingHint: '自動でサーバーに要求します。',
  },
  paired: {
    title: 'ペアリング完了',
    ready: 'この画面のメディアをダウンロードしています。',
  },
  idle: {
    nothing: '現在、予定はありません',
    screenshotsAllowed: 'この画面のスクリーンショットは遠隔で取得できます',
    screenshotsForbidden: 'この画面のスクリーンショットは取得されません',
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
        `${host} の名前を解決できません。サーバーのアドレスと、このネットワークの DNS を確認してください。`,
      connection_refused: ({ host }) =>
        `${host} が接続を拒否しました。クラウドが動作していることと、ポートが正しいことを確認してください。`,
      no_route: ({ host }) =>
        `このネットワークから ${host} への経路がありません。ゲートウェイとファイアウォールを確認してください。`,
      no_answer: ({ host }) =>
        `${host} が応答しません。サーバーのアドレスと、ファイアウォールを確認してください。`,
      certificate: ({ host }) =>
        `${host} の証明書を信頼できません。証明書と、この端末の日時を確認してください。`,
      clock_wrong: ({ date }) =>
        `この端末の日付は ${date} になっているため、どの証明書も有効になりません。日時を合わせてください。`,
      not_placard: ({ host }) =>
        `${host} は応答しますが、Placard クラウドではありません。サーバーのアドレスと、ネットワークのログイン画面の有無を確認してください。`,
      refused: ({ host }) =>
        `${host} が要求を拒否しました。サーバーのアドレスと、クラウドが最新であることを確認してください。`,
      busy: ({ host }) => `${host} から待機を求められました。自動で再試行します。`,
      server_error: ({ host }) => `${host} で内部エラーが発生しています。自動で再試行します。`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: '技術者メニュー',
    back: '戻る',
    close: '閉じる',
    cancel: 'キャンセル',
    loading: 'お待ちください',
    refresh: '更新',
    unknown: '不明',
    noResponse: 'プレーヤーが応答しません。少し待ってから、もう一度お試しください。',
    cloudUnreachable:
      'クラウドに接続できないため、メディアを再びダウンロードできません。先にネットワークを確認してください。',
    notPossible: (why) => `失敗しました：${why}`,
    readOnly:
      'この画面には PIN が設定されていないため、メニューは読み取り専用です。PIN はクラウドの端末設定か、インストール時に設定できます。',
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
      ok: 'サーバーへの接続は正常です。',
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
      deployment: '配信されたプレイリスト',
      none: '予定も配信もありません',
      since: '開始',
      until: '終了',
      kinds: { image: '画像', video: '動画' },
      cloud: 'クラウド',
      connections: { online: '接続済み', offline: '未接続', connecting: '接続中' },
      contentStatus: 'コンテンツ',
      current: '最新',
      loading: '更新をダウンロード中',
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
      title: 'テストパターン',
      keys: '矢印キーまたはタップで次へ。「戻る」で終了。',
      kinds: { geometry: '形状', colours: '色', lines: '1 ピクセル線', motion: '動き' },
    },
    orientation: {
      title: '画面の向き',
      note: 'この選択は、「クラウドの設定に従う」を選び直すまで、この端末だけに適用されます。',
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
        'ログと状態（機密情報を除く）を、この端末のディスクに保存しますか。USB メモリーがあれば、そこにも保存します。',
      confirm: '保存',
      saved: '保存先：',
    },
    clearCache: {
      title: 'キャッシュを消去',
      question:
        '保存済みのメディアをすべて消去しますか。表示中の画像は、メディアを再びダウンロードするまで残ります。',
      confirm: '消去',
      done: 'キャッシュを消去しました。メディアを再びダウンロードします。',
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
