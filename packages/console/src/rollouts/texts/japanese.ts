import { pluralsOf } from '../../i18n/plural.ts';
import type { RolloutTexts } from './english.ts';

const plural = pluralsOf('ja');
const SCREENS = { other: '# 台' };

export const japanese: RolloutTexts = {
  title: 'プレーヤーの更新',
  notForBound: 'お客様は一部の店舗をご担当です。展開は全店舗の画面に関わるため、表示されません。',
  rollouts: '展開',
  none: 'まだどのバージョンも展開されていません',
  noneHint:
    '展開では、プレーヤーの新しいバージョンをまず少数の画面に配り、ほかの画面と比較し、悪化がない間だけ次へ進みます。全画面にそのバージョンを提供する更新フィードと、古いバージョンの画面が必要です。',
  start: '展開を開始',
  startAfter: '次の展開は、この展開が終了してから開始できます。',
  began: (time) => `開始 ${time}`,

  selecting: '画面を選択中',
  atRing: (ring, rings, share) => `段階 ${ring} / ${rings}（${share} まで）`,
  running: (at) => `進行中：${at}`,
  held: (at) => `判断待ち：${at}`,
  stopped: (at) => `自動停止：${at}`,
  stoppedByHand: (at) => `手動停止：${at}`,
  stoppedAt: (at) => `停止：${at}`,
  stoppedBeforeBeginning: '最初の段階の前に手動停止',
  finished: '完了',
  updatedOfRing: (updated, chosen) => `この段階の ${chosen} 台中 ${updated} 台が更新済み`,
  updatedOfAll: (updated, fleet) => `${fleet} 台中 ${updated} 台が更新済み`,

  state: '状態',
  whatToDo: '対処',
  screens: '画面',
  reached: '古いバージョンの画面',
  beganAt: '開始',
  endedAt: '終了',
  heldFor: '各段階の比較期間',
  holdsUpdates: '完了するまで、組織の画面は自動では更新されません。',
  holdsUntilAll:
    'この展開を削除するか、すべての画面への展開が完了するまで、組織の画面は自動では更新されません。',
  selfUpdating: (count) =>
    plural(count, {
      other: '# 台の画面はプレーヤーが古く順番を待てないため、自動でも更新されます。',
    }),
  stop: '停止',
  stopQuestion: (version) => `${version} の展開を停止しますか？`,
  stopHint:
    'これ以降、画面に更新は指示されません。更新済みの画面はそのままです。停止した展開は再開できません。',
  continue: '次の段階へ進む',
  continueQuestion: (count) => plural(count, { other: 'さらに # 台に更新を指示しますか？' }),
  continueHint: '画面が受け取った指示は取り消せません。',
  delete: '削除',
  deleteQuestion: (version) => `${version} の展開を削除しますか？`,
  deleteHint: '画面の一覧は失われます。画面のバージョンは変わりません。',
  deleteHolding: 'その後、画面はフィードに従って再び自動で更新されます。',

  causes: {
    stopped_by_hand: (name) => `${name} が停止しました。`,
    worse: ({ what, kind, before, after, updated, othersBefore, othersAfter, others }) =>
      `${what}${kind === '' ? '' : `（${kind}）`}が更新前の ${before} から更新後は ${after} になりました（${plural(updated, SCREENS)}）。` +
      `更新していない画面では以前 ${othersBefore}、現在 ${othersAfter} です（${plural(others, SCREENS)}）。`,
    not_coming_back: ({ silent, told, kind, othersSilent, others }) =>
      `更新を指示した ${plural(told, SCREENS)}${kind === '' ? '' : `（${kind}）`}のうち ${silent} 台が復帰していません。` +
      `指示していない ${plural(others, SCREENS)}のうち応答がないのは ${othersSilent} 台です。`,
    broken_update: ({ broken, answered, kind }) =>
      `${plural(answered, SCREENS)}${kind === '' ? '' : `（${kind}）`}のうち ${broken} 台で、バージョンをインストールできないか正常に動作しませんでした。` +
      '以前のバージョンで動作しています。',
    nothing_compared: '十分な報告をした画面が少なく、比較できませんでした。',
    too_few_updated: ({ alive, chosen, failed, told }) =>
      `この段階の ${plural(chosen, SCREENS)}のうち、このバージョンで動作し過去 1 日にオンラインだったのは ${alive} 台だけです。` +
      `失敗：${failed}、不明：${told}。`,
    nothing_older: '対象の画面に、より古いバージョンのものはありません。',
  },
  advice: {
    stopped_by_hand: '',
    worse:
      '更新フィードでこのバージョンをブロックし、より大きい番号の修正版を展開してください。それまで該当の画面はこのバージョンのままです。',
    not_coming_back:
      '応答のない画面の電源、ネットワーク、表示を現地で確認してください。デバイスの一覧では「オフライン」です。更新フィードでこのバージョンをブロックし、より大きい番号の修正版を展開してください。',
    broken_update:
      '各画面が失敗した理由は下の一覧にあります。更新フィードでこのバージョンをブロックし、より大きい番号の修正版を展開してください。',
    nothing_compared:
      'この段階の画面をいくつか確認し、問題がなければ続行してください。約 300 台未満では、ほとんどの比較ができません。',
    too_few_updated: '失敗した画面や応答のない画面を確認し、続行または停止してください。',
    nothing_older: 'バージョンと、選んだ画面を確認してください。',
  },

  rings: '段階',
  ringState: {
    later: '順番待ち',
    notReached: '未到達',
    telling: '画面に更新を指示中',
    answering: '指示済み、応答待ち',
    comparing: '比較中',
    held: '判断待ち',
    stopped: 'ここで停止',
    done: '完了',
  },
  next: {
    afterComparison: (time) => `悪化がなければ、${time}の比較の後に次の段階が自動で始まります。`,
    at: (time) => `悪化がなければ、次の段階は早くて ${time} に自動で始まります。`,
    overdue: 'この段階でこのバージョンの画面は半数未満です。2 日間続くと、展開は判断待ちになります。',
    lastRing: (time) =>
      `すべての画面が応答すると、遅くとも最後の指示から${time}後に完了します。今後は更新の失敗だけが停止の原因になります。`,
  },
  counts: {
    waiting: (count) => plural(count, { other: '未指示 #' }),
    told: (count) => plural(count, { other: '指示済み #' }),
    failed: (count) => plural(count, { other: '失敗 #' }),
  },
  updatedOf: (updated, chosen) => `${plural(chosen, SCREENS)}中 ${updated} 台`,
  ringOf: (number, share) => `段階 ${number}：画面の ${share} まで`,

  comparison: '更新前と更新後',
  comparedSince: (time) => `${time} から`,
  notComparedYet: 'この段階の画面は、最後の指示から約 1 時間後、大半が応答してから比較されます。',
  lastNotCompared: '最後の段階には、比較する画面がありません。',
  nothingReported: '比較に十分な報告をした画面が少なすぎます。',
  endedBefore: 'この段階の画面が比較される前に終了しました。',
  notEnoughYet: 'この段階の画面は、まだ十分な報告をしていません。',
  measure: '項目',
  withUpdate: '更新済み',
  withoutUpdate: '未更新',
  measures: {
    restarts: '1 日の再起動回数',
    faults: '1 日の障害件数',
    dropped_frames: 'コマ落ち',
    start_time: '起動時間',
  },
  kindScreens: (updated, others) =>
    `${plural(updated, { other: '更新済み #' })}、${plural(others, { other: '未更新 #' })}`,
  rareKinds: '台数の少ない機種',
  unknownShell: '不明なシェル',
  stoppedForThis: '停止の原因',

  status: {
    waiting: '未指示',
    told: '指示済み',
    updated: '更新済み',
    failed: '失敗',
    removed: '削除済み',
  },
  anyStatus: 'すべての画面',
  showScreens: '表示',
  noScreens: 'この状態の画面はありません。',
  removedScreen: '削除された画面',
  ring: (number) => `段階 ${number}`,
  toldAt: (time) => `指示 ${time}`,
  updatedAt: (time) => `更新 ${time}`,
  codes: {
    rolled_back: 'このバージョンは動作せず、以前のバージョンに戻りました',
    not_offered:
      'フィードがこのバージョンを提供していません。割合、チャンネル、アーキテクチャを確認してください',
    expired: '1 週間電源が入っていませんでした',
    other_version: 'フィードが別のバージョンを提供しました',
    not_configured: '更新フィードまたはリリース鍵が設定されていません',
    no_helper: 'パッケージからインストールされていないため、更新をインストールできません',
    no_release_key: '更新ヘルパーにリリース鍵がありません',
    busy: '別の更新をインストール中でした',
    download_failed: 'ダウンロードに失敗しました。ネットワークと更新サーバーを確認してください',
    helper_silent: '更新ヘルパーが応答しません',
    bad_feed: 'リリース一覧を読み取れません。フィードのアドレスを確認してください',
    old_feed: 'リリース一覧が以前のものより古くなっています。途中のキャッシュを確認してください',
    bad_signature: '署名が正しくないため、何もインストールされませんでした',
    bad_manifest: 'パッケージの記述が正しくありません',
    wrong_package: '別のプログラムのパッケージです',
    wrong_arch: '別のアーキテクチャ用のパッケージです',
    wrong_contents: 'パッケージの内容が記述と一致しません',
    wrong_size: 'パッケージのサイズが記述と一致しません',
    wrong_hash: 'パッケージが署名済みのハッシュと一致しません',
    incomplete: '更新のファイルが不足していました',
    not_an_upgrade: 'すでにこのバージョンか、より新しいバージョンです',
    blocked: 'このバージョンはブロックされています（フィードで取り下げられたか、この画面で以前失敗しました）',
    no_space: 'ディスクの空き容量が足りません',
    no_way_back: '以前のバージョンを保存または復元できませんでした',
    changed_by_hand: 'インストールが手動で変更されました',
    torn_state: '更新の状態がディスクから失われました',
    failed: '原因不明の失敗です',
    unknown: '原因不明の失敗です',
  },

  version: 'バージョン',
  versionHint: '更新フィードが全画面（100 %）に提供し、それより新しいものがないこと。',
  matches: (count) => plural(count, { other: '# 台が該当します。バージョンの古い画面が更新されます。' }),
  more: '名前、段階、期間',
  nameHint: '空でも構いません',
  ringsHint: '各段階の後でこのバージョンになる画面の割合です。最後の段階は比較されません。',
  holdHint: '長いほど、小さな悪化も見つかります。',
  plan: (first, others, time) =>
    `まず画面の ${first} まで、その後 ${others}。悪化がなければ、毎回${time}の比較の後に自動で進みます。`,
  planAll: 'すべての画面を順に更新し、比較はしません。',
  otherBegan: '別の展開が始まりました：',
  startNote: '営業時間中にも画面に指示され、各画面は一度の起動の間、黒くなります。',
};
