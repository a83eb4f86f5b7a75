import{A,ApiError,Boundary,CAN_USE_PASSKEYS,Dialog,Diff,ErrorMessage,Et,FOLDER,HitDate,K,KINDS,Lists,NameField,NewNote,News,
Nt,OUTSIDE,Passage,Preview,Question,Sentence,Size,Tag,Tidy,Waiting,When,actionsNow,addPasskey,address,addressOf,api,arrive,
authorOf,baseHash,before,byGroup,byOthers,canWrite,changed,clientOf,colourBy,correctAddress,countText,createOrRestore,dayText,
depth,directionless,editHash,fetchProposed,filterOf,find,fit,focusInGraph,formatNumber,ft,go,groupKey,helpShown,historyHash,
hueOf,isDestroying,isFile,isImport,isNumber,isOwn,isTyping,isolated,labels,le,leadsTo,linkHash,mayUndo,monthText,moveInList,
nameOf,namesIn,nn,noteHash,noteToEdit,numberOf,open as open2,openNote,ot,paletteShown,parse,parted,parts,pastOf,pinned,placeHash,
placeIn,placeOf,projectsOf,proposed,ranked,restored,reviewHash,route,script,searchHash,show,showError,showMissing,signInsShown,
sliderWanted,statusOf,summaryOf,tagHash,takeFiles,targetsIn,timeText,toast,undoing,unseen,useAction,useActions,useChanges,
useElement,useKey,useLoad,useModal,usePreview,ut,vault,whyNoUndo}from"./main.js";var[FEW,MOST]=[200,1e3],SHORT=7;async function momentsOf(name,count){let{edits}=await api.log(name,count),moments=edits.
map(afterEdit).reverse(),isWhole=edits.length<count,first=edits.at(-1);return{moments:first&&isWhole&&isNumber(first.rev)?
[beforeEdit(first),...moments]:moments,isWhole}}var afterEdit=edit=>({...about(edit),at:edit.rev,side:"after"}),beforeEdit=edit=>({
...about(edit),at:justBefore(edit),side:"before"}),about=edit=>({time:edit.time,what:whatOf(edit),edit:isNumber(edit.rev)?
edit.rev:""}),justBefore=({rev,time,outside})=>rev==="1"||outside?new Date((Math.floor(time)-1)*1e3).toISOString().replace(
".000",""):before(rev);function momentOf({rev,time,author}){if(!rev)return{at:rev,time,side:"before",what:"the first known edit",edit:""};let what=`${named(rev)}${author&&` (${author})`}`;return{at:rev,time,side:"after",what,edit:isNumber(rev)?
rev:""}}function whatOf(edit){let{outside,client,rev}=edit;return outside==="hand"?`change ${rev} by hand`:outside==="away"?`change ${rev} while zkmem was not running`:outside?`change ${rev} by ${outside}`:`${named(rev)}${client&&` by ${isolated(
clientOf(edit))}`}`}var named=rev=>isNumber(rev)?`edit ${rev}`:`commit ${rev.slice(0,SHORT)}`;async function showAsItWas(name){
let[last,earlier]=(await api.log(name,2)).edits;if(!last)return toast("No earlier moment of this note is known.");sliderWanted.
value=!0;let at=earlier?.rev??(isNumber(last.rev)?justBefore(last):last.rev);go(noteHash(name,"",{at}))}function AsItWas({
name}){let{act,busy,error}=useAction(()=>showAsItWas(name));return nn`<button type="button" onClick=${act} disabled=${busy}>As it was…</button>
    <${ErrorMessage} error=${error} />`}var MOST2={formulas:500,code:500,diagrams:20},LONGEST={formulas:2e3,code:2e4,diagrams:5e3},MOST_CHARACTERS={formulas:5e4,
code:2e5,diagrams:1e5};function draw(body,isPreview){let stop=new AbortController,{signal}=stop,formulas=short(body,"span.math","formulas"),diagrams=short(body,"code.language-mermaid","diagrams"),code=short(body,'pre > code[class^="language-"]:not(.language-mermaid)',"code");return(async()=>{formulas.length&&await(await import("./formulas.js")).drawFormulas(
formulas,signal),code.length&&await(await import("./code.js")).colourCode(code,signal),diagrams.length&&
!signal.aborted&&(await import("./diagrams.js")).drawDiagrams(diagrams,signal,isPreview)})().catch(error=>toast(
`A part of this note could not be drawn: ${error.message}`)),()=>stop.abort()}function short(body,selector,kind){let all=[
...body.querySelectorAll(selector)],left=MOST_CHARACTERS[kind],isShort=one=>lengthOf(one)<=LONGEST[kind]&&(left-=lengthOf(
one))>=0;return all.slice(0,MOST2[kind]).filter(isShort)}var lengthOf=element=>(element.textContent??"").length;function failed(element,what,failure="could not be drawn"){let line=document.createElement("small");Object.assign(line,{className:"undrawn",textContent:`This ${what} ${failure}.`}),element.after(" ",line)}var SAFE={pdf:"application/pdf",txt:"text/plain;charset=utf-8",png:"image/png",jpg:"image/jpeg",jpeg:"image/jpeg",gif:"image/gif",webp:"image/webp",avif:"image/avif",bmp:"image/bmp",mp3:"audio/mpeg",wav:"audio/wav",m4a:"audio/mp4",ogg:"audio/ogg",flac:"audio/flac","3gp":"audio/3gpp",mp4:"video/mp4",webm:"video/webm",ogv:"video/ogg",mov:"video/quicktime",mkv:"video/x-matroska"},ending=path=>path.slice(path.lastIndexOf(".")+1).toLowerCase(),PAGE=/^#page=\d+/,KEPT_MS=6e4,MOST_ELEMENTS=2e4;
function fillFiles(body){let urls=[],state={gone:!1};for(let image of body.querySelectorAll("img[data-file]"))fetchInto(
image,image.dataset.file??"",image.alt,urls,state);for(let link of body.querySelectorAll("a.media[data-file]")){let file=link.
dataset.file??"",type=SAFE[ending(file)]??"",player=playerOf(type,file);player&&(link.before(player),fetchInto(player,file,
file,urls,state,type))}return()=>{state.gone=!0,urls.forEach(URL.revokeObjectURL)}}function playerOf(type,file){let kind=type.
split("/")[0];if(kind!=="audio"&&kind!=="video")return null;let player=document.createElement(kind);return player.controls=
!0,player.setAttribute("aria-label",file),player}function fetchInto(element,file,text,urls,state,type=""){api.blob(file).
then(checked).then(blob=>{if(state.gone)return;let url=URL.createObjectURL(type?new Blob([blob],{type}):blob);element.src=
url,urls.push(url)},error=>{let failure=document.createElement("span");Object.assign(failure,{className:"no-image",textContent:`${isolated(
text||file)}: ${error.message}`}),element.replaceWith(failure)})}async function checked(blob){if(blob.type.startsWith("image/svg")&&!isSmall(await blob.text()))throw new Error("this picture is too complex.");return blob}async function openFile(path,subpath=""){
let type=SAFE[ending(path)],tab=type?open("","_blank"):null;try{let blob=await api.blob(path),url=URL.createObjectURL(new Blob(
[blob],{type:type??"application/octet-stream"}));setTimeout(()=>URL.revokeObjectURL(url),KEPT_MS),tab?tab.location.replace(
url+(PAGE.exec(subpath)?.[0]??"")):Object.assign(document.createElement("a"),{href:url,download:parted(path).last}).click()}catch(error){
tab?.close(),showError(error)}}function isSmall(source){let{documentElement}=new DOMParser().parseFromString(source,"image/svg+xml"),sizes=new Map,size=element=>{let known=sizes.get(element);if(known!==void 0)return known;sizes.set(element,
1);let total=1,shown2=element.localName==="use"?targetOf(element):null;for(let one of shown2?[...element.children,shown2]:
element.children)total+=size(one);return sizes.set(element,total),total};return size(documentElement)<=MOST_ELEMENTS}function targetOf(use){
let address2=use.getAttribute("href")??use.getAttributeNS("http://www.w3.org/1999/xlink","href")??"";return address2.startsWith(
"#")?use.ownerDocument.getElementById(address2.slice(1)):null}var RECENT_MS=1e4,BLOCKS="p, li, tr, pre, h1, h2, h3, h4, h5, h6, dt, dd, summary, figure, hr",CONTAINERS="ul, ol, dl, table, thead, tbody, blockquote, div, section, details",ANY=`${BLOCKS}, ${CONTAINERS}`;function tintFresh(body,earlier){let{
by,at}=changed.peek();!by||isOwn(by)||Date.now()-at>RECENT_MS||(body.style.setProperty("--hue",String(hueOf(by))),tintOther(
body,earlier))}function tintOther(body,other){let template=document.createElement("template");template.innerHTML=other;let before2=new Set(
[...template.content.children].map(written));for(let block of template.content.querySelectorAll(`${ANY}, .embed > a`))before2.
add(written(block)),block.matches("li")&&before2.add(writtenAll(firstLine(block)));tintIn(body,before2)}function tintIn(element,before2){
for(let block of[...element.children]){if(before2.has(written(block)))continue;block.matches(`${CONTAINERS}, li`)&&block.
querySelector(BLOCKS)?(block.matches("li")&&tintFirstLine(block,before2),tintIn(block,before2)):block.classList.add("fresh")}}function tintFirstLine(item,before2){let nodes=firstLine(item);if(!writtenAll(nodes)||before2.has(writtenAll(nodes)))
return;let line=document.createElement("div");line.className="fresh",nodes[0].before(line),line.append(...nodes)}function firstLine(item){
let nodes=[...item.childNodes],end=nodes.findIndex(node=>node instanceof Element&&node.matches(ANY));return end<0?nodes:
nodes.slice(0,end)}var written=block=>block.outerHTML.replaceAll(/ (?:data-task="\d+"|disabled=""|type="checkbox")|\?(?:at|then)=[^"]*/g,
""),writtenAll=nodes=>nodes.map(node=>node instanceof Element?written(node):node.textContent).join("").trim();function Body({name,source,isPreview=!1,onArrive,onTick}){let body=useElement(HTMLDivElement),shown2=ft({name,source}),{
at}=route.value;Nt(()=>{let restore=focusAndFolds(body.current);body.current.innerHTML=source;let before2=shown2.current;
before2.name===name&&before2.source!==source&&(at?tintOther:tintFresh)(body.current,before2.source),shown2.current={name,
source},prepare(body.current),reachWide(body.current),restore()},[source]),Nt(()=>{at&&leadTo(at,body.current)},[source,
at]),Nt(()=>{for(let box of boxes(body.current))box.disabled=!onTick||!canWrite(embedOf(box)?.name??name)},[source,!onTick]);
let onChange=event=>{let box=event.target;box instanceof HTMLInputElement&&box.dataset.task&&onTick?.({line:Number(box.dataset.
task),isTicked:box.checked,embed:embedOf(box)})};return ut(()=>fillFiles(body.current),[source]),ut(()=>draw(body.current,
isPreview),[source]),Nt(()=>{let{name:target2,subpath}=route.peek();target2===name&&onArrive?.(arrive(whole(body.current),
subpath))},[source,address.value.position]),ut(()=>{let text=body.current,size=new ResizeObserver(()=>reachWide(text));return isPreview||
size.observe(text),()=>size.disconnect()},[]),nn`<div class="body" ref=${body} onClick=${event=>follow(event,body.current)} onChange=${onChange}></div>`}
var whole=body=>body.closest(".note-page")??body;function embedOf(box){let embed=box.closest(".embed"),link=embed?.querySelector(
":scope > a");return embed instanceof HTMLElement&&link instanceof HTMLElement?{name:link.dataset.note??"",etag:embed.dataset.
etag??""}:null}var boxes=body=>body.querySelectorAll("input[data-task]");function focusAndFolds(body){let text=element=>element?.
textContent,links=()=>[...body.querySelectorAll("a, summary, input[data-task]")],title=details=>text(details.querySelector(
"summary")),at=links().findIndex(link=>link===document.activeElement),focused=at<0?null:text(document.activeElement),folds=new Map(
[...body.querySelectorAll("details")].map(one=>[title(one),one.open]));return()=>{for(let one of body.querySelectorAll("details"))one.open=folds.get(title(one))??one.open;if(focused===null)return;let there=links()[at];(there&&text(there)===
focused?there:links().find(one=>text(one)===focused)??there)?.focus({preventScroll:!0})}}function leadTo(at,body){for(let link of body.
querySelectorAll('a[href^="#/note/"]')){let{name,subpath}=parse(link.getAttribute("href")??"");name&&link.setAttribute("href",noteHash(name,subpath,{at,named:"then"}))}}function prepare(body){let buttons=body.querySelectorAll("a[data-file], a[data-jump], a[data-scheme], a[data-gone]");for(let one of buttons)one.setAttribute("role",one.hasAttribute("data-jump")?
"link":"button"),one.setAttribute("tabindex","0"),one.addEventListener("keydown",event=>{event instanceof KeyboardEvent&&
event.key==="Enter"&&one instanceof HTMLElement&&one.click()});let headings2=[...body.querySelectorAll("h1, h2, h3, h4, h5, h6")],levels2=levelsOf(headings2.map(({tagName})=>Number(tagName[1])));for(let[at,one]of headings2.entries())one.setAttribute(
"aria-level",String(levels2[at]));for(let one of body.querySelectorAll("input[type=checkbox]"))one.setAttribute("aria-label",one.parentElement?.textContent?.trim().slice(0,100)||"Task")}function levelsOf(written2){let above=[];return written2.
map(level=>(above=[...above.filter(one=>one<level),level],above.length+2))}var SCROLLED=[[".table","Table"],["pre","Code"],
[".math-display","Formula"]];function reachWide(body){for(let[kind,label]of SCROLLED)for(let one of body.querySelectorAll(
kind)){let isWide=one.scrollWidth>one.clientWidth,wanted={tabindex:"0",role:"region","aria-label":label};for(let[name,value]of Object.
entries(wanted))isWide?one.setAttribute(name,value):one.removeAttribute(name)}}function follow(event,body){let link=event.
target instanceof Element?event.target.closest("a"):null;if(!link)return;let{file,subpath,jump,scheme,gone}=link.dataset;
if(file?.endsWith(".base"))go(baseHash(file));else if(file!==void 0)openFile(file,subpath);else if(jump!==void 0)anchorOf(
link,jump,body);else if(scheme!==void 0)toast(`This page cannot open “${scheme.split(":")[0]}:” addresses: ${scheme}`);else if(gone!==
void 0)toast(`There is no file “${gone}” in this vault.`);else if(link.hash&&link.hash===location.hash)here(body);else
return;event.preventDefault()}function anchorOf(link,jump,body){let anchor=(link.closest(".embed, .expansion")??body).querySelector(
`[data-anchor="${CSS.escape(jump)}"]`);if(!anchor)return;show(anchor);let next=anchor.matches("a")?anchor:anchor.querySelector(
"a.back");next instanceof HTMLElement&&next.focus({preventScroll:!0})}function here(body){let place2=placeOf(whole(body),
route.peek().subpath);place2&&show(place2)}function ChangedNotes(props){let place2=ft(null),[isInView,setInView]=ot(!1);return ut(()=>{let observer=new IntersectionObserver(
entries=>{entries.some(entry=>entry.isIntersecting)&&setInView(!0)});return place2.current&&observer.observe(place2.current),
()=>observer.disconnect()},[]),isInView?nn`<${Loaded} ...${props} />`:nn`<div class="unloaded" ref=${place2}><${Waiting} /></div>`}
function Loaded({load:load2,keys,onUndo,then,isBare=!1}){let{data,error,again}=useLoad(load2,keys);return data?nn`<${NotesChanged} notes=${data.
notes} more=${data.more} onUndo=${onUndo} then=${then} isBare=${isBare} />`:error?nn`<${ErrorMessage} error=${error} again=${again} />`:
nn`<${Waiting} />`}function NotesChanged({notes,more=0,onUndo,then,isBare=!1}){return nn`${notes.map((note,at)=>nn`<${Changed} key=${note.
name} note=${note} onUndo=${at?void 0:onUndo} then=${then}
      isBare=${isBare&&!at} />`)}
  ${more>0&&nn`<p class="quiet">${numberOf(more,"more note")}</p>`}`}function Changed({note,onUndo,then,isBare}){let{name,
left,trouble,warnings,outdated}=note,passages="passages"in note?note.passages:[{number:null,under:"",html:note.html}];return nn`<section class="changed" aria-label=${name}>
    ${!isBare&&nn`<${Heading} note=${note} then=${then} />`}
    ${passages.map((one,at)=>nn`<${Passage2} key=${at} name=${name} passage=${one} heading=${headingOf(passages,at)}
        onUndo=${passages.length>1?onUndo:void 0} />`)}
    ${left>0&&nn`<p class="quiet">${numberOf(left,"more changed block")}</p>`}
    ${trouble&&nn`<p class="quiet">${trouble}</p>`}
    ${warnings.map(warning=>nn`<p class="notice warn" key=${warning}>${warning}</p>`)}
    ${outdated.length>0&&nn`<p class="quiet">Other notes still have what was replaced:</p>`}
    <${OutdatedSentences} outdated=${outdated} />
  </section>`}var Heading=({note:{name,is_note:isNote,was,outcome,added,removed},then})=>nn`<h4 aria-level=${then?3:4}>
  ${was&&was!==name&&nn`<span class="was">${was}</span> → `}
  ${outcome==="deleted"?nn`<span class="was">${name}</span>`:nn`<${Name} name=${name} isNote=${isNote} />`}
  ${" "}<span class="tag">${outcome}</span>${" "}<${Size} added=${added} removed=${removed} />
  ${outcome==="deleted"&&isNote&&nn`${" "}<${AsItWas} name=${name} />`}
  ${then&&isNote&&nn`${" "}<a href=${noteHash(name,"",{at:then,named:"then"})}>As it was then</a>${" "}<a
      href=${historyHash(name)}>History</a>`}
</h4>`,Name=({name,isNote})=>isNote?nn`<a href=${noteHash(name)}>${name}</a>`:nn`<button type="button" class="link" onClick=${()=>openFile(
name)}>${name}</button>`;function headingOf(passages,at){let{under}=passages[at],before2=passages[at-1];return(before2&&
[before2.under,...(before2.html.match(HEADING)??[]).map(textOf)])?.includes(under)?"":under}var HEADING=/<h([1-6])[ >].*?<\/h\1>/gs,
textOf=source=>source.replace(/<[^>]*>/g,"").trim();function Passage2({name,passage:{number,html:source},heading,onUndo}){
if(!source)return null;let undo=onUndo&&number!==null?()=>onUndo(number):null;return nn`<div class="passage-changed">
    ${(heading||undo)&&nn`<p class="under"><span>${heading}</span>${undo&&nn`<button type="button" class="plain" onClick=${undo}>Undo this passage…</button>`}</p>`}
    <${Boundary}><${Body} name=${name} source=${source} isPreview /></${Boundary}>
  </div>`}function OutdatedSentences({outdated}){return outdated.length?nn`<ul class="outdated" aria-label="Other notes that still have it">
    ${outdated.map(one=>nn`<${Sentence2} key=${`${one.note} ${one.old}`} one=${one} />`)}
  </ul>`:null}function Sentence2({one}){let{note,passage,new:now}=one,[isMended,setMended]=ot(!1),{act,busy,error}=useAction(
async()=>{await mend(one),setMended(!0)});return nn`<li>
    <a href=${noteHash(note)}>${note}</a>: ${isMended?one.mended:passage}${" "}
    ${isMended?nn`<span class="tag">mended</span>`:nn`<button type="button" onClick=${act} disabled=${busy}><span>Put ${now} there</span></button>`}
    <${ErrorMessage} error=${error} />
  </li>`}async function mend({note,passage,mended}){let{text,etag,next_offset:next}=await api.note(note),at=text.indexOf(
passage);if(next!==null||at<0||text.includes(passage,at+1))throw new Error("Open the note to mend it.");await api.save(note,
text.slice(0,at)+mended+text.slice(at+passage.length),etag)}function Restore({name,rev,text="Restore…"}){let[asking,setAsking]=ot(!1),reason=Et(),{act,busy,error}=useAction(async()=>{
let done=await api.restore({name,rev}),result=done.outcome==="unchanged"?"has that text already":"is restored";toast([`${done.
name} ${result}.`,...done.remarks].join(" ")),open2(done.name)}),answer=yes=>{setAsking(!1),yes&&act()},may=canWrite(name);
return nn`<button type="button" class="danger" disabled=${!may||busy} aria-describedby=${may?void 0:reason}
      onClick=${()=>setAsking(!0)}>${text}</button>
    ${!may&&nn`<span class="quiet" id=${reason}>You may only read this note.</span>`}
    <${ErrorMessage} error=${error} />
    ${asking&&nn`<${RestoreQuestion} name=${name} rev=${rev} onAnswer=${answer} />`}`}function RestoreQuestion({name,rev,
onAnswer}){let{data,error}=useLoad(()=>api.diff(name,rev),[name,rev]);return nn`<${Question} title=${`Restore ${isolated(
name)}?`} yes="Restore" onAnswer=${onAnswer}>
    <p>The note gets this older text again. If it has another text now, that stays in the history.</p>
    ${!data&&!error&&nn`<${Waiting} />`}
    ${error&&nn`<p class="quiet"><${Sentence} text=${error.message} /></p>`}
    ${data&&(data.diff?nn`<p>These changes since then are taken back:</p>
          <${Diff} text=${data.diff} label=${`What has changed since in ${name}`} />`:nn`<p class="quiet">The note has this text now.</p>`)}
  <//>`}function UndoDialog({which,action="undo",title,about:about2="",onDone,onClose}){let{edit,sitting=!1}=which,state=usePreview(
action,sitting?{...which,partial:!0}:which),left=state.plan?.left??[];ut(()=>(addEventListener("hashchange",onClose),()=>removeEventListener(
"hashchange",onClose)),[]);let{act,busy,error}=useAction(async()=>{let done=await(action==="undo"?api.undo({...which,partial:left.
length>0}):api.redo({edit})),verb2=action==="undo"?"Undone":"Redone",but=done.left.length?`, but ${stays(done.left.length)}`:
"",back=action==="undo"?{title:"Redo…",act:()=>undoing.value="redo"}:void 0,what=about2||`edit ${done.edits.join(", edit ")}`;toast([`${verb2}: ${what}${but}.`,...done.remarks].join(" "),"info",back),onDone?.(),onClose()}),[verb,other]=action===
"undo"?["Undo","redo the undo"]:["Redo","undo it again"];return nn`<${Dialog} title=${title} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      ${about2&&nn`<p>${about2}</p>`}
      ${!about2&&state.plan&&nn`<h3>Edit ${state.plan.edits.join(", edit ")}</h3>`}
      <p class="quiet">What was written since stays. You can ${other}.</p>
      ${left.length>0&&nn`<p><strong>${stays(left.length)}:</strong></p>
          <ul>${left.map(one=>nn`<li key=${one.edit}><${Sentence} text=${one.reason} /></li>`)}</ul>`}
      <${Preview} state=${state} summary=${()=>""}>${state.plan&&nn`<${NotesChanged} notes=${state.plan.notes} more=${state.
plan.changes.length-state.plan.notes.length} />`}<//>
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy||!state.plan}>${left.length?`${verb} the rest`:verb}</button>
      </div>
    </form>
  <//>`}var stays=count=>`${numberOf(count,"edit")} ${count===1?"stays":"stay"}`,TITLES={undo:"Undo the last edit?",redo:"Redo the last undo?"},close=()=>undoing.value=null,UndoLast=()=>undoing.value&&nn`<${UndoDialog} which=${{}} action=${undoing.
value} title=${TITLES[undoing.value]} onClose=${close} />`;var VIEWS={edit:"What it changed",now:"What has changed since",text:"The text then"};function Revision({name,edit}){let[
asking,setAsking]=ot(!1),{rev,notes,title,tool,outside,undone}=edit;if(name)return nn`<${OfNote} name=${name} rev=${rev} />`;
let canUndo=vault.value?.can_write&&isNumber(rev)&&tool!=="undo"&&!undone&&!outside.startsWith("git ");return nn`<div class="revision">
    ${isNumber(rev)&&nn`<div class="toolbar">${canUndo&&nn`<button type="button" class="danger" onClick=${()=>setAsking(
!0)}>Undo this edit…</button>`}${route.value.list!==rev&&nn`<a href=${editHash(rev)}>Edit ${rev}</a>`}</div>`}
    ${asking&&nn`<${UndoDialog} which=${{edit:Number(rev)}} title="Undo this edit?" about=${title}
        onClose=${()=>setAsking(!1)} />`}
    ${isNumber(rev)?nn`<${ChangedNotes} load=${()=>api.change({edit:Number(rev)})} keys=${[rev]} then=${rev} />`:notes.map(
note=>nn`<section key=${note}>
              <h3><a href=${historyHash(note)}>${note}</a></h3>
              <p><a href=${noteHash(note,"",{at:rev,named:"then"})}>As it was then</a></p>
              <${Shown} view="edit" name=${note} rev=${rev} />
            </section>`)}
    ${!notes.length&&nn`<p class="quiet">This edit touched no note.</p>`}
  </div>`}function OfNote({name,rev}){let[view,setView]=ot("edit"),button=key2=>nn`<button key=${key2} type="button" aria-pressed=${view===
key2}
    onClick=${()=>setView(key2)}>${VIEWS[key2]}</button>`;return nn`<div class="revision">
    <div class="toolbar" role="toolbar" aria-label=${`Revision ${rev}`}>
      ${button("edit")}${button("now")}${button("text")}
      <a class="button" href=${noteHash(name,"",{at:rev})}>As it was</a>
      ${vault.value?.can_write&&nn`<${Restore} name=${name} rev=${rev} />`}
    </div>
    ${view==="edit"&&isNumber(rev)?nn`<${ChangedNotes} load=${()=>changeOf(Number(rev),name)} keys=${[rev]} />`:nn`<${Shown} key=${view} view=${view} name=${name} rev=${rev} />`}
  </div>`}async function changeOf(edit,name){let{notes,more}=await api.change({edit}),own=notes.filter(note=>note.name===
name||note.was===name);return own.length?{notes:own}:{notes,more}}function Shown({view,name,rev}){let{data,error}=useLoad(
()=>LOADS[view](name,rev),[name,rev,view]);return data?"text"in data?nn`<pre class="diff plain" tabindex="0" role="group"
      aria-label=${`${VIEWS.text}: ${name}`}>${data.text}</pre>`:data.diff?nn`<${Diff} text=${data.diff} label=${`${VIEWS[view]}: ${name}`} />`:nn`<p class="quiet">Its text stayed the same.</p>`:error?nn`<p class="quiet"><${Sentence} text=${error.message} /></p>`:
nn`<${Waiting} />`}var LOADS={edit:changedBy,now:api.diff,text:api.revision};async function changedBy(name,rev){try{return await api.
diff(name,before(rev),rev)}catch(error){if(!(error instanceof ApiError&&error.kind==="NoVersion"))throw error;return api.
revision(name,rev)}}function Menu({label,groups,children}){let[isOpen,setOpen]=ot(!1),box=useElement(HTMLDivElement),button=useElement(HTMLButtonElement),
id=Et(),items=()=>[...box.current.querySelectorAll("[role^=menuitem]")];Nt(()=>{isOpen&&items()[0]?.focus({preventScroll:!0})},
[isOpen]);let close3=()=>{button.current.focus({preventScroll:!0}),setOpen(!1)},onKeyDown=event=>{let next=isOpen?nextItem(
items(),event.key):null;if(next)next.focus();else if(event.key==="Escape"&&isOpen)close3();else if(event.key==="ArrowDown"&&!isOpen)setOpen(!0);else return event.key==="Tab"&&isOpen?setOpen(!1):void 0;event.preventDefault(),event.stopPropagation()},
onFocusOut=({relatedTarget})=>{(!(relatedTarget instanceof Node)||!box.current.contains(relatedTarget))&&setOpen(!1)},choose=({
act})=>{close3(),act?.()};return nn`<div class="menu" ref=${box} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut}>
    <button type="button" ref=${button} aria-haspopup="menu" aria-expanded=${isOpen} aria-controls=${id}
      aria-label=${label} title=${label} onClick=${()=>setOpen(!isOpen)}>${children}</button>
    <div role="menu" id=${id} aria-label=${label} hidden=${!isOpen}>
      ${isOpen&&groups.map((group,at)=>nn`<${Items} key=${at} group=${group} choose=${choose} />`)}
    </div>
  </div>`}function Items({group:{label,items},choose}){return nn`<div role="group" class=${label?"choices":void 0} aria-label=${label}>
    ${label&&nn`<span aria-hidden="true">${label}</span>`}
    ${items.map(item=>{let{text,href,checked:checked2,danger}=item,about2={role:checked2===void 0?"menuitem":"menuitemradio","aria-checked":checked2,tabindex:-1,class:danger?"danger":void 0,onClick:()=>choose(item)};return href?nn`<a key=${text} href=${href} ...${about2}><span>${text}</span></a>`:
nn`<button type="button" key=${text} ...${about2}><span>${text}</span></button>`})}
  </div>`}function nextItem(items,key2){let at=items.findIndex(item=>item===document.activeElement),by={ArrowDown:1,ArrowRight:1,
ArrowUp:-1,ArrowLeft:-1}[key2];return by?items[(at+by+items.length)%items.length]:key2==="Home"?items[0]:key2==="End"?items[items.
length-1]:key2.length!==1||key2===" "?null:[...items.slice(at+1),...items.slice(0,at+1)].find(item=>item.textContent?.toLowerCase().
startsWith(key2.toLowerCase()))??null}var LEVELS=[0,1,2,3],MOST_PINNED=100,key=()=>`zkmem:pinned:${vault.value?.name??""}`;A(()=>{if(!vault.value)return;let stored=JSON.
parse(localStorage.getItem(key())??"[]");pinned.value=Array.isArray(stored)?stored.filter(name=>typeof name=="string"):[]});
var levels=()=>({label:"Expand links",items:LEVELS.map(level=>({text:String(level),checked:depth.value===level,act:()=>depth.
value=level}))}),ActionsThen=({name})=>nn`<div class="toolbar" role="toolbar" aria-label="This note">
  <${Menu} label="More actions" groups=${[{items:[{text:"History",href:historyHash(name)}]},levels()]}>
    <span aria-hidden="true">⋯</span><//>
</div>`;function Actions({name,edit,ask:ask2}){let mayWrite=vault.value?.can_write,groups=[{items:[{text:pinned.value.includes(
name)?"Unpin":"Pin to Home",act:()=>togglePin(name)},{text:"Show in map",act:()=>focusInGraph(name)},{text:"History",href:historyHash(
name)},{text:"Why is this here?",act:()=>ask2("why")},{text:"As it was…",act:()=>showAsItWas(name).catch(showError)}]},
levels(),...mayWrite?[{items:[{text:"Rename…",act:()=>ask2("rename")},{text:"Delete…",danger:!0,act:()=>ask2("remove")}]}]:
[]];return nn`<div class="toolbar" role="toolbar" aria-label="This note">
    ${mayWrite&&nn`<button type="button" class="primary" aria-keyshortcuts="e" title="Edit (e)" onClick=${edit}>Edit</button>`}
    <${Menu} label="More actions" groups=${groups}><span aria-hidden="true">⋯</span><//>
  </div>`}function togglePin(name){let others2=pinned.peek().filter(one=>one!==name);pinned.value=others2.length<pinned.
peek().length?others2:[...others2,name].slice(-MOST_PINNED),localStorage.setItem(key(),JSON.stringify(pinned.peek()))}var MOST3=20;function InUse({id,typed,of=""}){let[texts,setTexts]=ot([]);return ut(()=>{let stop=new AbortController,suggest=suggestions=>stop.
signal.aborted||setTexts(suggestions);return api.inUse(typed.trim(),of.trim(),MOST3,stop.signal).then(response=>suggest(
response.texts),()=>suggest([])),()=>stop.abort()},[typed,of]),nn`<datalist id=${id}>${texts.map(text=>nn`<option key=${text} value=${text}></option>`)}</datalist>`}var TYPES={text:"Text",list:"List",number:"Number",checkbox:"Checkbox",date:"Date",datetime:"Date and time",tags:"Tags",
aliases:"Aliases",other:"Other"},OF_NAME={tags:"tags",tag:"tags",aliases:"aliases",alias:"aliases"},DATE=/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?$/,
NUMBER=/^[-+]?(?:\d+\.?\d*|\.\d+)$/,typesFor=name=>{let own=OF_NAME[name.trim().toLowerCase()];return own?[own]:["text",
"list","number","checkbox","date","datetime"]},isList=type=>type==="list"||type==="tags"||type==="aliases",itemOf=(type,written2)=>type===
"tags"?written2.trim().replace(/^#+/,"").replace(/\s+/g,"-"):written2.trim();function valueOf(type,written2){let text=written2.
trim();if(isList(type))return[itemOf(type,text)].filter(Boolean);if(type==="text"||!text)return written2;if(type==="number")return NUMBER.test(text)?Number(text):void 0;if(type==="checkbox")return{true:!0,false:!1}[text];let[,day,hour]=DATE.
exec(text)??[];if(day)return type==="date"?day:`${day}T${hour??"00:00"}`}function converted(value,type){return Array.isArray(
value)?isList(type)?value:value.length>1&&type!=="text"?void 0:converted(value.join(", "),type):isList(type)?value===""?
[]:[value]:value===""&&type==="checkbox"?!1:valueOf(type,String(value))}var FIELDS={text:"text",number:"number",date:"date",datetime:"datetime-local"};function Properties({values}){return values.
length?nn`<${Table} rows=${values.map(one=>nn`<tr key=${one.key}><th scope="row" dir="auto">${one.key}</th>
      <td dir="auto"><${Values} ...${one} /></td></tr>`)} />`:null}var Table=({rows})=>nn`<table class="properties">
  <caption class="unseen">Properties</caption>
  <tbody>${rows}</tbody>
</table>`;function EditableProperties({note,onSaved,again,isWriting}){let[error,setError]=ot(null),[isAdding,setAdding]=ot(
!1),etag=ft(note.etag),last=ft(Promise.resolve(!0)),renamed2=ft(""),add=useElement(HTMLButtonElement);Nt(()=>{etag.current=
note.etag},[note.etag]);let makeNow=async(change,seen={current:""})=>{isWriting.current=!0;try{let saved2=await api.setProperties(
{names:[note.name],etag:seen.current||etag.current,...change});etag.current=saved2.etag||etag.current,seen.current=etag.
current;for(let remark of saved2.remarks)toast(remark);return setError(null),onSaved(saved2),!0}catch(failure){return setError(
failure),seen.current="",again(),!1}finally{isWriting.current=!1}},make=(change,seen)=>last.current=last.current.then(()=>makeNow(
change,seen)),rename=async(key2,to)=>(renamed2.current=to,make({renames:{[key2]:to}})),remove=async key2=>{await make({properties:{
[key2]:null}})&&(toast(`The property ${key2} is removed.`),add.current.focus())},rows=note.values.map(one=>nn`<${Row} key=${one.
key} property=${one} etag=${note.etag} make=${make} rename=${rename}
      remove=${remove} focus=${one.key===renamed2.current} fail=${setError} />`);return nn`${rows.length>0&&nn`<${Table} rows=${rows} />`}
    <${ErrorMessage} error=${error} />
    ${isAdding?nn`<${Add} known=${note.values.map(({key:key2})=>key2.toLowerCase())} make=${make}
            close=${()=>setAdding(!1)} />`:nn`<button type="button" class="plain add-property" ref=${add}
            onClick=${()=>setAdding(!0)}>Add property</button>`}`}function Row({property,etag,make,rename,remove,focus,fail}){
let{key:key2,type,value,items}=property,[open3,setOpen]=ot(null),row=useElement(HTMLTableRowElement),before2=ft(focus?"name":null);Nt(()=>{let next=row.current.querySelector(before2.current==="name"?"th button":"td :is(button, input)");!open3&&
before2.current&&!isTyping()&&next instanceof HTMLElement&&next.focus({preventScroll:!0}),before2.current=open3},[open3]);
let seen=ft(""),openValue=field=>{seen.current=etag,setOpen(field)},set=async next=>make({properties:{[key2]:next}},open3?
seen:void 0),setAndClose=async next=>{let isSet=await set(next);return isSet&&setOpen(null),isSet},choose=next=>{let same=value===
null?void 0:converted(value,next);return same!==void 0&&same!==""?set(same):value===""?openValue(next):fail(new Error(`“${items[0]?.
text??""}” cannot become: ${TYPES[next]}. Change the value first.`))},types=type==="other"?[]:typesFor(key2).filter(one=>one!==
type),groups=[...types.length>1?[{items:[type,...types].map(one=>({text:TYPES[one],checked:one===type,act:()=>choose(one)}))}]:
[],{items:[{text:"Rename…",act:()=>setOpen("name")},{text:"Remove",danger:!0,act:()=>remove(key2)}]}],close3=()=>setOpen(
null),save=async written2=>{let to=written2.trim(),isDone=!to||to===key2||await rename(key2,to);return isDone&&close3(),
isDone};return nn`<tr ref=${row}>
    <th scope="row" dir="auto">${open3==="name"?nn`<${Field} label=${`New name of ${key2}`} type="text" text=${key2} of="" save=${save}
            cancel=${close3} />`:nn`<${Menu} label=${`Property ${key2}`} groups=${groups}>${key2}<//>`}</th>
    <td dir="auto">${open3&&open3!=="name"?nn`<${ValueField} label=${key2} type=${open3} value=${open3===type?value:""} set=${set}
            setAndClose=${setAndClose} close=${close3} />`:nn`<${Shown2} property=${property} set=${set} edit=${()=>openValue(
type)} />`}</td>
  </tr>`}function Shown2({property,set,edit}){let{key:key2,type,value,items}=property;if(type==="other")return nn`<${Values} ...${property} />`;
if(type==="checkbox")return nn`<input type="checkbox" aria-label=${key2} checked=${value} onChange=${()=>set(!value)} />`;
let isPlain=!isList(type)&&items.every(({kind})=>kind==="text"),text=isPlain?items.map(item=>item.text).join():"",label=`Edit ${key2}: ${items.map(item=>item.text).join(", ")||"empty"}`;return nn`${!isPlain&&nn`<${Values} ...${property} />`}
    <button type="button" class="cell" aria-label=${label} title="Edit" onClick=${edit}>${text||(isPlain?nn`<span class="quiet">empty</span>`:
"✎")}</button>`}function ValueField({label,type,value,set,setAndClose,close:close3}){if(isList(type))return nn`<${ListField} label=${label} type=${type} items=${Array.
isArray(value)?value:[]} set=${set}
      close=${close3} />`;let save=written2=>{let next=valueOf(type,written2);return next===void 0||String(next)===String(
value)?close3():setAndClose(next)},text=type==="datetime"?String(value).replace(" ","T"):String(value);return nn`<${Field} label=${label} type=${FIELDS[type]} text=${text}
    of=${type==="text"?label:void 0} save=${save} cancel=${close3} />`}function Field({label,type="text",text,of,save,cancel}){
let[typed,setTyped]=ot(""),list=Et(),input=useElement(HTMLInputElement),finished=ft(!1);Nt(()=>{input.current.focus(),input.
current.select()},[]);let finish=async isSaved=>{finished.current||isSaved&&!input.current.reportValidity()||(finished.current=
!0,isSaved?finished.current=await save(input.current.value)!==!1:cancel())};return nn`<input ref=${input} aria-label=${label} type=${type} step="any" dir="auto" defaultValue=${text}
      autocomplete="off" list=${of===void 0?void 0:list} onKeyDown=${event=>{event.isComposing||event.key!=="Enter"&&event.
key!=="Escape"||(event.preventDefault(),event.stopPropagation(),finish(event.key==="Enter"))}}
      onInput=${()=>setTyped(input.current.value)} onBlur=${()=>finish(!0)} />
    ${of!==void 0&&nn`<${InUse} id=${list} typed=${typed} of=${of} />`}`}function ListField({label,type,items:before2,set,
close:close3}){let[items,setItems]=ot(before2),[typed,setTyped]=ot(""),list=Et(),box=useElement(HTMLDivElement),input=useElement(
HTMLInputElement);Nt(()=>input.current.focus(),[]);let change=async next=>{input.current.focus(),setItems(next),await set(
next)||close3()},add=()=>{let item=itemOf(type,input.current.value);return input.current.value="",setTyped(""),item&&!items.
includes(item)&&change([...items,item]),!!item};return nn`<div class="items" ref=${box} onKeyDown=${event=>{if(event.isComposing)
return;let isEmpty=event.target===input.current&&!input.current.value;if(event.key==="Escape")close3();else if(event.key===
"Enter"&&event.target===input.current)add()||close3();else if(event.key==="Backspace"&&isEmpty&&items.length)change(items.
slice(0,-1));else return;event.preventDefault(),event.stopPropagation()}} onFocusOut=${({relatedTarget})=>{!box.current?.
isConnected||relatedTarget instanceof Node&&box.current.contains(relatedTarget)||(add(),close3())}}>
    <ul class="values">
      ${items.map((item,at)=>nn`<li key=${`${at} ${item}`} dir="auto">${String(item)}
          <button type="button" aria-label=${`Remove ${item}`} title="Remove"
            onClick=${()=>change(items.filter((_,other)=>other!==at))}>×</button></li>`)}
    </ul>
    <input ref=${input} aria-label=${`Add to ${label}`} placeholder="Add…" dir="auto" autocomplete="off" list=${list}
      onInput=${()=>setTyped(input.current.value)} />
    <${InUse} id=${list} typed=${typed} of=${label} />
  </div>`}function Add({known,make,close:close3}){let[name,setName]=ot(""),[chosen,setType]=ot("text"),[written2,setWritten]=ot(
""),[isTrue,setTrue]=ot(!1),[names,values]=[Et(),Et()],first=useElement(HTMLInputElement);Nt(()=>first.current.focus(),[]);
let types=typesFor(name),type=types.includes(chosen)?chosen:types[0],isTaken=known.includes(name.trim().toLowerCase()),value=type===
"checkbox"?isTrue:valueOf(type,written2);return nn`<form class="new-property" aria-label="New property" onSubmit=${async event=>{
event.preventDefault(),value!==void 0&&!isTaken&&await make({properties:{[name.trim()]:value}})&&close3()}} onKeyDown=${event=>{
event.key!=="Escape"||event.isComposing||(event.preventDefault(),event.stopPropagation(),close3())}}>
    <label>Name <input ref=${first} required value=${name} autocomplete="off" dir="auto" list=${names}
      onInput=${({currentTarget})=>setName(currentTarget.value)}
      /></label>
    <label>Type <select value=${type} disabled=${types.length<2}
      onChange=${({currentTarget})=>setType(currentTarget.value)}>
      ${types.map(one=>nn`<option key=${one} value=${one}>${TYPES[one]}</option>`)}
    </select></label>
    ${type==="checkbox"?nn`<label>Checked <input type="checkbox" checked=${isTrue} onChange=${()=>setTrue(!isTrue)} /></label>`:
nn`<label>Value <input key=${type} type=${FIELDS[type]??"text"} step="any" dir="auto" value=${written2}
            autocomplete="off" list=${type==="text"||isList(type)?values:void 0}
            onInput=${({currentTarget})=>setWritten(currentTarget.value)} /></label>`}
    <button type="submit" class="primary">Add</button>
    <button type="button" onClick=${close3}>Cancel</button>
    <${InUse} id=${names} typed=${name} />
    ${name.trim()&&nn`<${InUse} id=${values} typed=${written2} of=${name} />`}
    ${isTaken&&nn`<p class="notice warn" role="status">The note has this property already.</p>`}
  </form>`}function Values({is_list:areMany,items}){let values=items.map((item,at)=>nn`<${Value} key=${at} ...${item} />`);
return areMany?nn`<ul class="values">${values.map((value,at)=>nn`<li key=${at} dir="auto">${value}</li>`)}</ul>`:values}
function Value({text,kind,target:target2,subpath}){return kind==="note"?nn`<a href=${linkHash(target2,subpath)}>${text}</a>`:
kind==="missing"?nn`<a class="missing" href=${linkHash(target2)}>${text}</a>`:kind==="gone"?nn`<span class="gone">${text}</span>`:
kind==="tag"?nn`<a class="tag" href=${tagHash(target2)}>${text}</a>`:kind==="address"?nn`<a href=${target2} target="_blank" rel="noopener noreferrer">${text}</a>`:
kind==="file"?nn`<button type="button" class="link" onClick=${()=>openFile(target2)}>${text}</button>`:text}function Conflicts({note,onResolved}){let{conflicts}=note,title=Et();return conflicts.length?nn`<section class="two-versions" aria-labelledby=${title}>
    <h3 id=${title}>Two versions of the same lines <span class="count">${conflicts.length}</span></h3>
    ${conflicts.map((one,number)=>nn`<${Choice} key=${number} note=${note} number=${number}
        conflict=${one} onResolved=${onResolved} />`)}
  </section>`:null}function Choice({note:{name,etag},number,conflict:{title,here:here2,other},onResolved}){let group=useElement(
HTMLDivElement),caption=title||"Another version",resolve=useOther=>async()=>{let heading=group.current.closest("article")?.
querySelector("h2"),edited=await api.resolve({name,number,other:useOther,etag}),done=useOther?"has the other version now":
"keeps its version";toast([`${edited.name} ${done}.`,...edited.remarks].join(" ")),isTyping()||heading?.focus({preventScroll:!0}),
onResolved(edited)},keep=useAction(resolve(!1)),use=useAction(resolve(!0)),busy=keep.busy||use.busy;return nn`<div class="version-choice" role="group" aria-label=${`Conflict ${number+1}: ${caption}`} ref=${group}>
    <div class="sides">
      <${Side} title="In this note" text=${here2} />
      <${Side} title=${caption} text=${other} />
    </div>
    ${canWrite(name)&&nn`<div class="toolbar">
        <button type="button" onClick=${keep.act} disabled=${busy}>Keep this</button>
        ${here2!==null&&nn`<button type="button" onClick=${use.act} disabled=${busy}>Use the other</button>`}
      </div>`}
    <${ErrorMessage} error=${keep.error??use.error} />
  </div>`}var Side=({title,text})=>nn`<div>
  <h4>${title}</h4>
  ${text===null?nn`<p class="quiet">It is not certain which lines of this note the other version is about. To use it, edit
        the note.</p>`:nn`<pre class="diff plain" tabindex="0" role="group" aria-label=${title}>${text}</pre>`}
</div>`;var PREFIX=`zkmem-draft:${FOLDER}:`;function draftOf(name){try{let draft=JSON.parse(sessionStorage.getItem(PREFIX+name)??
"null");return typeof draft?.text=="string"&&typeof draft.base?.text=="string"?draft:null}catch{return null}}function keepDraft(name,draft){
try{return sessionStorage.setItem(PREFIX+name,JSON.stringify(draft)),!0}catch{return!1}}function dropDraft(name){try{sessionStorage.
removeItem(PREFIX+name)}catch{}}async function loadEditor(){let[module]=await script(Promise.all([import("./editor.js"),import("./vendor/editor.js")]));
return module}var loaded=null,Editor=props=>nn`<${Part} name="Editor" props=${props} />`,TwoVersions=props=>nn`<${Part} name="TwoVersions" props=${props} />`;
function Part({name,props}){let[module,setModule]=ot(loaded),[error,setError]=ot(null),load2=()=>{setError(null),loadEditor().
then(one=>setModule(loaded=one),setError)};return ut(()=>{module||load2()},[]),module?nn`<${module[name]} ...${props} />`:
error?nn`<${ErrorMessage} error=${error} again=${load2} />`:nn`<${Waiting} />`}var MOST_HEADINGS=200;function Side2(){let note=openNote.value,{view,at}=route.value;return!note||view!=="note"?null:nn`<div class="beside" key=${note.
name}>
    <${Outline} note=${note} />
    ${at?nn`<${LinkedFrom} note=${note} />`:nn`<${Passages} note=${note} />`}
    <${LinksTo} note=${note} />
    ${at&&nn`<p class="quiet">The map shows the present, so it is hidden here.</p>`}
  </div>`}function Outline({note:{html:source,headings:whole2}}){let rows=whole2.length?whole2:headings(source);if(rows.
length<2)return null;let top=Math.min(...rows.map(({level})=>level));return nn`<section aria-label="Outline">
    <h3>Outline</h3>
    <ul class="outline">
      ${rows.map(({level,text,subpath},at)=>nn`<li key=${at} style=${{"--level":level-top}}>
          <a href=${placeHash(subpath)}>${text}</a></li>`)}
    </ul>
  </section>`}function headings(source){let{body}=new DOMParser().parseFromString(source,"text/html"),own=[...body.querySelectorAll(
"[data-heading]")].filter(one=>!one.closest(OUTSIDE)).slice(0,MOST_HEADINGS),above=[];return own.map(heading=>{let level=Number(
heading.tagName[1]),key2=heading.getAttribute("data-heading")??"";above=[...above.filter(one=>one.level<level),{level,key:key2}];
let text=heading.textContent?.trim()||key2;return{level,text,subpath:above.map(one=>`#${one.key}`).join("")}})}function Passages({
note}){let{data,error,again}=useLoad(()=>api.mentions(note.name),[note.name,note.etag]);useChanges(again);let shown2=new Set(
data?.backlinks.map(({name})=>name)),others2=note.backlinks.filter(name=>!shown2.has(name)),moreCount=note.backlink_count-
note.backlinks.length,linkTo=passage=>canWrite(passage.name)&&nn`<${LinkButton} passage=${passage} to=${note.name} again=${again} />`;
return nn`<section aria-label="Linked from">
      <h3>Linked from <span class="count">${formatNumber(note.backlink_count)}</span></h3>
      ${!note.backlink_count&&nn`<p class="quiet">No note links here yet.</p>`}
      <ul class="passages" onKeyDown=${moveInList}>
        ${data?.backlinks.map(one=>nn`<${Sentence3} key=${one.name} ...${one} />`)}
        ${others2.map(name=>nn`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
      </ul>
      <${More} count=${moreCount} />
      <${ErrorMessage} error=${error} again=${again} />
    </section>
    ${data&&data.mentions.length>0&&nn`<section aria-label="Unlinked mentions">
        <h3>Unlinked mentions <span class="count">${data.mentions.length}</span></h3>
        <ul class="passages" onKeyDown=${moveInList}>
          ${data.mentions.map(one=>nn`<${Sentence3} key=${one.name} ...${one}>${linkTo(one)}<//>`)}
        </ul>
      </section>`}
    ${data?.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}`}var Sentence3=({name,before:before2,
shown:shown2,after,children})=>nn`<li>
  <a href=${noteHash(name)} data-row>${name}</a>
  <p dir="auto">${before2}<b>${shown2}</b>${after}</p>
  ${children}
</li>`;function LinkButton({passage:{name,shown:shown2,start,etag},to,again}){let{act,busy,error}=useAction(async()=>{let done=await api.
link({name,passage:shown2,start,to,etag});toast([`${done.name} links to ${to} now.`,...done.remarks].join(" ")),again()});
return nn`<button type="button" onClick=${act} disabled=${busy}
    aria-label=${`Link “${shown2}” in ${name}`}>Link</button><${ErrorMessage} error=${error} />`}function LinksTo({note:{
links,link_count:count}}){return nn`<section aria-label="Links to">
    <h3>Links to <span class="count">${formatNumber(count)}</span></h3>
    ${!links.length&&nn`<p class="quiet">No other note.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${links.map(({target:target2,name})=>nn`<${Name2} key=${target2} name=${name??target2} missing=${!name} />`)}
    </ul>
    <${More} count=${count-links.length} />
  </section>`}function LinkedFrom({note:{backlinks,backlink_count:count}}){return nn`<section aria-label="Linked from">
    <h3>Linked from <span class="count">${formatNumber(count)}</span></h3>
    ${!count&&nn`<p class="quiet">No note linked here.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${backlinks.map(name=>nn`<${Name2} key=${name} name=${name} missing=${!1} />`)}
    </ul>
    <${More} count=${count-backlinks.length} />
  </section>`}var More=({count})=>count>0&&nn`<p class="quiet">… and ${formatNumber(count)} more</p>`;function Name2({
name,missing}){return nn`<li class=${missing?"missing":""}>
    <a href=${linkHash(name)} data-row>${name}</a>
    ${missing&&!route.value.at&&nn` <a class="tag" href=${linkHash(name)}>${canWrite(name)?"create":"not written yet"}<span
        class="unseen"> ${name}</span></a>`}
  </li>`}function Rename({name,onClose}){let[typed,setTyped]=ot(name),newName=typed.trim(),state=usePreview("rename",newName&&newName!==
name?{name,new_name:newName}:null),merges=state.plan?.outcome==="merged",{act,busy,error}=useAction(async()=>{let done=await api.
rename({name,new_name:newName}),links=done.relinked.length?` Links were updated in ${numberOf(done.relinked.length,"note")}.`:"";toast([`${done.outcome==="merged"?"Merged into":"Now called"} ${done.name}.${links}`,...done.remarks].join(" ")),onClose(),
open2(done.name)}),summary=plan=>merges?`Merging into ${isolated(plan.name)}:`:`Renaming to ${isolated(plan.name)}:`;return nn`<${Dialog} title=${`Rename ${isolated(name)}`} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      <${NameField} label="New name" value=${typed} onInput=${setTyped}
        hint="Without a folder, it stays in the folder of the note. Put a / in front for the root of the vault, or
          give a folder with a / at its end to move the note there." />
      ${merges&&nn`<p class="notice warn" role="status">There is a note ${state.plan?.name}. The two become one note: the
          text of ${name} is added at its end.</p>`}
      <${Preview} state=${state} summary=${summary} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy||!state.plan}>${merges?"Merge":"Rename"}</button>
      </div>
    </form>
  <//>`}function Remove({note:{name,etag,backlinks,backlink_count:count},onClose}){let{act,busy,error}=useAction(async()=>{
let done=await api.remove(name,etag),repointed=Object.entries(done.repointed).map(([from,to])=>`A link in ${from} leads to ${to} now.`);toast([`${done.name} is in ${done.trash} now.`,...repointed,...done.remarks].join(" ")),onClose()});return nn`<${Dialog} title=${`Delete ${isolated(name)}?`} onClose=${onClose} busy=${busy}>
    <form onSubmit=${act}>
      <p>The note goes to the trash of the vault; History can restore it.</p>
      ${count?nn`<p class="notice warn">${numberOf(count,"note links","notes link")} to it. The links would lead
            nowhere:</p>
            <ul class="names">${backlinks.map(one=>nn`<li key=${one}>${one}</li>`)}</ul>
            <${More} count=${count-backlinks.length} />`:nn`<p class="quiet">No other note links to it.</p>`}
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="danger" disabled=${busy}>Delete</button>
      </div>
    </form>
  <//>`}var MOST4=200;function Why({name,chosen,onClose}){let[words]=ot(chosen),{data,error,again}=useLoad(()=>api.why(name),[name]),
passages=data?passagesWith(data.passages,words):[];return nn`<${Dialog} title=${`Where ${isolated(name)} comes from`} onClose=${onClose} wide>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!passages.length&&nn`<p class="empty">The note has no words.</p>`}
    <ul class="rows">
      ${passages.slice(0,MOST4).map(one=>nn`<li key=${`${one.first} ${one.text}`}>
          <blockquote dir="auto">${one.text}</blockquote>
          <p class="quiet">${originOf(one)}${one.edit?nn` <a href=${editHash(String(one.edit))}>Edit ${one.edit}</a>`:""}</p>
        </li>`)}
    </ul>
    ${passages.length>MOST4&&nn`<p>Only the first ${MOST4} passages are shown. To see others, select words in the note and ask again.</p>`}
    <div class="actions"><button type="button" data-first onClick=${onClose}>Close</button></div>
  <//>`}var wordsOf=text=>text.toLowerCase().match(/[\p{L}\p{N}]+/gu)??[];function passagesWith(passages,chosen){let wanted=wordsOf(
chosen),pairs=new Set(wanted.slice(1).map((word,at)=>`${wanted[at]} ${word}`)),words=passages.flatMap(passage=>wordsOf(passage.
text).map(word=>({word,passage}))),fit2=new Set(words.flatMap(({word,passage},at)=>{if(wanted.length===1)return word===wanted[0]?
[passage]:[];let next=words[at+1];return next&&pairs.has(`${word} ${next.word}`)?[passage,next.passage]:[]}));return fit2.
size?[...fit2]:passages}function originOf(one){if(one.time===null)return`${one.did[0].toUpperCase()}${one.did.slice(1)}.`;
let who=one.outside?byOthers(one.outside):isOwn(one.client)?"You":one.client||"Somebody",when=one.time?`, ${timeText(one.
time)}`:"",before2=one.earliest===null?"":" (or an earlier edit: older texts are not kept)",imported=`, from the conversation “${one.title}” with ${one.imported}`,began=one.title?`, in the conversation that began with “${one.title}”`:
"",said=one.said?` You had said: “${one.said}”`:"";return`${who}${when}${before2}${one.imported?imported:began}.${said}`}var PAUSE=200,Session=class{constructor(name,base){let draft=draftOf(name);this.name=name,this.base=draft?.base??base,this.
start=draft?.text??this.base.text,this.restored=!!draft,this.screen={read:()=>this.start,write:()=>{}},this.dirty=K(this.
restored),this.busy=K(!1),this.saveError=K(null),this.unsaveable=K(!1),this.lastSave=K(null),this.remoteChange=K(null),this.
author=K("somebody else"),this.conflict=K(draft?.merge??null),this.merge=null,this.attached=draft?.attached??[],this.waiting=
[],this.storing=K(null),this.timer=0,this.saving=Promise.resolve(!1)}attach(screen){this.screen=screen}read(){return this.
screen.read()}typed(){this.dirty.value=this.read()!==this.base.text,clearTimeout(this.timer),this.timer=setTimeout(()=>this.
keep(),PAUSE)}replaced(){this.typed(),this.keep()}keep(){clearTimeout(this.timer);let{attached}=this,conflict=this.conflict.
value,merge=conflict?{...conflict,text:this.merge??conflict.text}:void 0;if(!this.dirty.value&&!merge)return dropDraft(this.
name);this.unsaveable.value=!keepDraft(this.name,{text:this.read(),base:this.base,merge,attached})}discard(){clearTimeout(
this.timer),dropDraft(this.name),this.dirty.value=!1}async takeBack(){let paths=this.attached;this.dirty.value||!paths.length||
(this.attached=[],await api.detach(paths))}save(){return this.busy.value||(this.saving=this.saveNow()),this.saving}async saveNow(){
le(()=>{this.busy.value=!0,this.saveError.value=this.lastSave.value=null});let sent=this.read();try{return await this.saved(
sent,await api.save(this.name,sent,this.base.etag)),!0}catch(error){return await this.refused(error,sent),!1}finally{this.
busy.value=!1}}async saved(sent,edited){let now=await api.note(edited.name).catch(()=>null);now?.etag===edited.etag?await this.
adopt(now,sent):edited.merged.length||(this.base={text:sent,etag:edited.etag}),this.attached=this.attached.filter(path=>!sent.
includes(path.replace(/\.md$/,""))),dropDraft(this.name),this.name=edited.name,le(()=>{this.remoteChange.value=null,this.
lastSave.value=edited}),this.replaced()}async adopt({text,etag},sent){let merged=await this.propose(sent,text).catch(()=>null);
!merged||merged.conflicts.length||(this.base={text,etag},merged.text!==this.read()&&this.screen.write(merged.text))}async propose(base,theirs){
for(;;){let mine=this.read();if(theirs===base)return{text:mine,conflicts:[]};if(mine===base)return{text:theirs,conflicts:[]};
let proposal=await api.merge({base,mine,theirs});if(this.read()===mine)return proposal}}async refused(error,sent){try{if(!(error instanceof
ApiError)||error.status!==412)throw error;await this.compare({...error.data,sent})}catch(failure){this.saveError.value=failure}}async compare({
etag,proposal,sent}={}){let theirs=await this.current();if(!theirs)this.base={text:"",etag:null},this.remoteChange.value=
"gone";else if(theirs.text===this.read())this.base=theirs,le(()=>{this.remoteChange.value=null,this.lastSave.value={merged:[],
remarks:[],relinked:[],outdated:[]}});else{let fits=etag===theirs.etag&&sent===this.read(),{text,conflicts}=fits&&proposal||
await this.propose(this.base.text,theirs.text);this.merge=null,this.conflict.value={theirs,text,conflicts}}this.replaced()}async current(){
try{let{text,etag}=await api.note(this.name);return{text,etag}}catch(error){if(statusOf(error)===404)return null;throw error}}merging(text){
this.merge=text,this.typed()}async resolve(text){return this.base=this.conflict.value?.theirs??this.base,le(()=>{this.conflict.
value=this.remoteChange.value=null}),this.screen.write(text),this.replaced(),this.save()}postpone(){this.conflict.value=
null,this.remoteChange.value="changed",this.replaced()}async refresh(){let now=await this.current();now&&!this.dirty.value&&
this.takeOver(now),this.remoteChange.value=null}takeOver(now){this.base=now,this.screen.write(now.text),this.replaced()}async checkForChanges(names){
let engaged=()=>this.busy.value||this.conflict.value;if(names&&!names.includes(this.name)||engaged())return;let now=await this.
current().catch(()=>{});if(!(now===void 0||engaged()||now?.etag===this.base.etag)){if(now&&authorOf(this.name,now.text).
then(who=>this.author.value=who),this.dirty.value||!now){this.remoteChange.value=now?"changed":"gone";return}this.takeOver(
now),this.remoteChange.value="taken over"}}};var BEFORE_BOX=/^[\s>\d.)*+-]*$/;function withBox(text,number,isTicked){let lines=text.split(`
`),line=lines[number]??"",at=line.indexOf("["),end=line.indexOf("]",at);return at>0&&end>at&&[...line.slice(at+1,end)].length===
1&&BEFORE_BOX.test(line.slice(0,at))?(lines[number]=`${line.slice(0,at)}[${isTicked?"x":" "}]${line.slice(end+1)}`,lines.
join(`
`)):null}var BLOCKS2="p, li, h1, h2, h3, h4, h5, h6, pre, tr, .callout-title",MOST_WORDS=12,MARGIN=8,panel=()=>document.getElementById(
"panel"),wordsOf2=text=>text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)??[],blocksOf=page=>[...page.querySelectorAll(".body")].flatMap(body=>[...body.querySelectorAll(BLOCKS2)]).filter(block=>!block.closest(OUTSIDE)&&block.textContent?.trim());
function placeRead(page){let{scrollTop:top}=panel(),edge=panel().getBoundingClientRect().top,blocks=blocksOf(page),at=blocks.
findIndex(block=>block.getBoundingClientRect().bottom>edge+MARGIN);return top===0||at<0?null:{text:blocks[at].textContent??
"",share:at/blocks.length,top}}function showPlace(page,{text,share,top}){if(top!==void 0)return panel().scrollTo({top,behavior:"instant"});let blocks=blocksOf(page),block=blocks[nearest(blocks.map(({textContent})=>textContent??""),text,share)];if(!block)
return;let from=block.getBoundingClientRect().top-panel().getBoundingClientRect().top;return panel().scrollBy({top:from-
MARGIN,behavior:"instant"})}var lineOf=(source,{text,share})=>nearest(source.split(`
`),text,share);function placeOfLine(source,line){let lines=source.split(`
`);return{text:lines.slice(line).find(one=>one.trim())??"",share:line/lines.length}}function nearest(texts,text,share){let wanted=wordsOf2(
text).slice(0,MOST_WORDS),expected=share*texts.length,best={at:Math.floor(expected),score:0};for(let[at,one]of texts.entries()){
let score=inOrder(wanted,one.toLowerCase()),isNearer=Math.abs(at-expected)<Math.abs(best.at-expected);(score>best.score||
score>0&&score===best.score&&isNearer)&&(best={at,score})}return Math.min(best.at,Math.max(0,texts.length-1))}function inOrder(words,text){
let[count,from]=[0,0];for(let word of words){let at=text.indexOf(word,from);at<0||(count+=1,from=at+word.length)}return count}function useDropped(take){let latest=ft(take);latest.current=take;let isTaker=!!take;Nt(()=>{if(!isTaker)return;let own=files=>latest.
current?.(files);return takeFiles.value=own,()=>{takeFiles.peek()===own&&(takeFiles.value=null)}},[isTaker])}var isOwn2=!1;
addEventListener("dragstart",()=>isOwn2=!0);addEventListener("dragend",()=>isOwn2=!1);var hasFiles=({dataTransfer})=>!!dataTransfer?.
types.includes("Files");addEventListener("dragover",event=>{hasFiles(event)&&event.preventDefault()});addEventListener("drop",event=>{let isInText=event.target instanceof Element&&event.target.closest(".editor .text .cm-content");!hasFiles(
event)||isInText||(event.preventDefault(),event.stopPropagation(),!(isOwn2||document.querySelector("dialog[open]"))&&(takeFiles.
value?takeFiles.value([...event.dataTransfer?.files??[]]):vault.value?.can_write?toast("Open the note that the file belongs to, and drop it there.","error"):toast("You may only read these notes, so no file can be added.","error")))},!0);function Note({name}){let{data:note,error,again}=useLoad(()=>api.note(name,depth.value),[name,depth.value]),[session,setSession]=ot(
()=>draftOf(name)?new Session(name,NEW):null),[notice,setNotice]=ot(""),missing=error?.status===404,known=ft(null),isWriting=ft(
!1),[line,setLine]=ot(0),place2=ft(null);useChanges(again);let mayEdit=canWrite(name)&&!(missing&&isFile(name));ut(()=>{
mayEdit&&loadEditor().catch(()=>{})},[mayEdit]),ut(()=>{let current=!0,say=who=>current&&setNotice(`This note was changed by ${who} just now.`);return known.current&&note&&note.etag!==known.current&&!isWriting.current&&authorOf(note.name,note.
text).then(say),known.current=note?.etag??known.current,()=>{current=!1}},[note?.etag]),ut(()=>{note&&note.name!==name&&
correctAddress(noteHash(note.name,route.peek().subpath))},[note?.name]),ut(()=>(openNote.value=note?.name===name&&!missing?
note:null,()=>{openNote.value=null}),[note,missing]);let[dialog,setDialog]=ot(null),edit=(_=null,files=[])=>{if(!mayEdit)
return;let page=document.querySelector(".note-page"),next=note&&!missing?new Session(note.name,note):new Session(name,NEW),
from=page&&note&&!missing?placeRead(page):null;place2.current=from&&{...from,etag:null},setLine(from?lineOf(next.start,from):
0),next.waiting=files,setSession(next)},done=(closed,moved)=>{let now=moved===null?place2.current:placeOfLine(closed.base.
text,moved);place2.current=now&&{...now,etag:closed.base.etag},setSession(null),setNotice(""),known.current=closed.base.
etag,closed.name!==name?open2(closed.name):again()},resolved=({etag})=>{known.current=etag,again()};ut(()=>{noteToEdit.value!==
name||!(note||missing)||(noteToEdit.value=null,missing&&edit())},[name,!note,missing]);let isOpen=!!(note?.name===name||
missing);return useDropped(!session&&isOpen&&mayEdit?files=>edit(null,files):null),useKey("e",!session&&(note||missing)?
edit:null),session?nn`<article class="note-page"><${Title} name=${session.name} /><${Editor} session=${session}
      line=${line} onClose=${moved=>done(session,moved)} /></article>`:missing&&!dialog&&isFile(name)?nn`<${File} path=${name} />`:
missing&&!dialog?nn`<${Missing} name=${name} error=${error} create=${edit}
      again=${again} />`:note?.name!==name?error?nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`:
nn`<${Reading} note=${note} error=${error} again=${again} edit=${edit} notice=${notice}
    dialog=${dialog} setDialog=${setDialog} onResolved=${resolved} place=${place2} isWriting=${isWriting} />`}var NEW={text:"",
etag:null};function Reading({note,error,again,edit,notice,dialog,setDialog,onResolved,place:place2,isWriting}){let page=useElement(
HTMLElement),isNewer=ft(!1);Nt(()=>{let wanted=place2.current;wanted&&(showPlace(page.current,wanted),(wanted.etag===note.
etag||isNewer.current)&&(place2.current=null),isNewer.current=!0)},[note.etag]);let close3=()=>setDialog(null),[sought,setSought]=ot(
!1),tick=async({line,isTicked,embed})=>{try{let ticked=embed?await api.note(embed.name):note,content=embed&&embed.etag!==
ticked.etag?null:withBox(ticked.text,line,isTicked);if(content!==null){let saved2=await api.save(ticked.name,content,ticked.
etag);if(!embed)return onResolved(saved2)}}catch(failure){showError(failure)}again()},part=offset=>api.part(note.name,depth.
value,offset),mayWrite=canWrite(note.name),onTick=vault.value?.can_write?tick:void 0;useActions([...mayWrite?[{title:"Edit this note",hint:"e",act:edit}]:[],...mayWrite?[{title:"Rename this note…",act:()=>setDialog("rename")}]:[],...mayWrite?
[{title:"Delete this note…",act:()=>setDialog("remove")}]:[],{title:"History of this note",act:()=>go(historyHash(note.
name))},{title:"This note as it was…",act:()=>showAsItWas(note.name).catch(showError)},{title:"Show this note in the map",hint:"g",act:()=>focusInGraph(note.name)}]);let onArrive=found=>setSought(!found);return nn`<article class="note-page" ref=${page}>
    <div class="head">
      <${Title} name=${note.name} focus />
      <${Actions} name=${note.name} edit=${edit} ask=${setDialog} />
    </div>
    <${ErrorMessage} error=${error} again=${again} />
    <p class="news" role="status">${notice}</p>
    ${mayWrite?nn`<${EditableProperties} note=${note} onSaved=${onResolved} again=${again} isWriting=${isWriting} />`:nn`<${Properties} values=${note.
values} />`}
    <${Conflicts} note=${note} onResolved=${onResolved} />
    ${note.characters===0&&nn`<p class="empty">This note is empty.</p>`}
    <${Body} name=${note.name} source=${note.html} onArrive=${onArrive} onTick=${onTick} />
    ${note.next_offset!==null&&nn`<${Rest} key=${`${note.etag} ${depth.value}`} note=${note} load=${part} again=${again} sought=${sought}
        onArrive=${onArrive} onTick=${onTick} />`}
    ${note.left.length>0&&nn`<p class="quiet">One page shows no more. Not expanded: ${numberOf(note.left.length,"link")}.</p>`}
    ${dialog==="why"&&nn`<${Why} name=${note.name} chosen=${String(getSelection())} onClose=${close3} />`}
    ${dialog==="rename"&&nn`<${Rename} name=${note.name} onClose=${close3} />`}
    ${dialog==="remove"&&nn`<${Remove} note=${note} onClose=${close3} />`}
  </article>`}function Rest({note,load:load2,again,sought,onArrive,onTick}){let[parts2,setParts]=ot([]),{next_offset:offset}=parts2.
at(-1)??note,{act,busy,error}=useAction(async()=>{if(offset===null)return;let part=await load2(offset);part.etag===note.
etag?setParts([...parts2,part]):again()});return ut(()=>{sought&&!busy&&!error&&act()},[sought,busy,parts2.length]),nn`${parts2.
map((part,at)=>nn`<${Body} key=${at} name=${note.name} source=${part.html} onArrive=${onArrive}
      onTick=${onTick} />`)}
    <${ErrorMessage} error=${error} />
    ${offset!==null&&nn`<button type="button" onClick=${act} disabled=${busy}>Read on</button>`}`}function Title({name,focus=!1}){
let heading=useElement(HTMLHeadingElement);Nt(()=>{focus&&!isTyping()&&heading.current.focus({preventScroll:!0})},[name]);
let{folders,last}=parted(name);return nn`<h2 class="title" tabindex="-1" ref=${heading}>
    ${folders&&nn`<span class="folder">${folders}</span>`}<span class="base">${last}</span>
  </h2>`}function Missing({name,error,create,again}){let{data:past}=useLoad(()=>pastOf(name),[name]),{edit,now,rev}=past??
{},restore=useAction(async()=>{let done=await restored(name,rev??"");done.name===name?again():open2(done.name)}),mayRestore=canWrite(
name)&&rev;return nn`<article class="note-page absent">
    <${Title} name=${name} focus />
    <p>${edit?"This note is not there any more.":"This note is not written yet."}</p>
    ${now&&nn`<p>It is called <a href=${noteHash(now)}>${now}</a> now.</p>`}
    ${edit&&nn`<p class="quiet">Last edit, by ${clientOf(edit)}: ${edit.title}</p>`}
    ${past!==void 0&&!mayRestore&&!now&&nn`<p class="quiet"><${Sentence} text=${error.message} names=${namesIn(error)} /></p>`}
    <div class="toolbar">
      ${mayRestore&&nn`<button type="button" class="primary" onClick=${restore.act} disabled=${restore.busy}>Restore</button>`}
      ${canWrite(name)&&nn`<button type="button" class=${mayRestore?"":"primary"} onClick=${create}>Create this note</button>`}
      ${edit&&nn`<a class="button" href=${historyHash(name)}>History</a>`}
      ${edit&&nn`<${AsItWas} name=${name} />`}
    </div>
    <${ErrorMessage} error=${restore.error} />
  </article>`}function File({path}){let{data,error}=useLoad(()=>api.blob(path),[path]);return!data&&!error?nn`<${Waiting} />`:
nn`<article class="note-page">
    <${Title} name=${path} focus />
    <p>${error?.status===404?"There is no such file in this vault.":error?.message}</p>
    ${data&&nn`<button type="button" class="primary" onClick=${()=>openFile(path)}>Open the file</button>`}
  </article>`}var COUNT=100,EVENTS={"session-start":"at the start of a session",compaction:"after a compaction",prompt:"with a prompt",
"turn-end":"at the end of a turn"};function History({name,number}){let{data,error,again}=useLoad(()=>number?api.edit(Number(
number)):api.log(name,COUNT),[]),[opened,setOpened]=ot(number);useChanges(again);let edits=data?.edits??[];return nn`<article class="history">
    ${name?nn`<${Title} name=${name} focus />
          ${!isFile(name)&&nn`<p>History of this note. <a href=${noteHash(name)}>Back to the note</a>${" "}
            <${AsItWas} name=${name} /></p>`}`:nn`<h2 class="title" tabindex="-1">${number?`Edit ${number}`:"History"}</h2>`}
    ${number&&nn`<p><a href="#/history">History of all edits</a></p>`}
    ${!name&&!number&&vault.value?.can_write&&data&&nn`<${Undo} edits=${edits} />`}
    ${!name&&!number&&nn`<${GivenToModels} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!edits.length&&nn`<p class="empty">No edit is known.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label="Edits">
      ${edits.map(edit=>nn`<li key=${edit.rev}>
          <button type="button" class="row" data-row aria-expanded=${opened===edit.rev}
            onClick=${()=>setOpened(opened===edit.rev?null:edit.rev)}>
            <${When} time=${edit.time} /> <span class="what">${edit.title}</span>
            ${tagsOf(edit).map(tag=>nn` <span class="tag" key=${tag}>${tag}</span>`)}
          </button>
          ${opened===edit.rev&&nn`<${Revision} name=${name} edit=${edit} />`}
        </li>`)}
    </ul>
  </article>`}var tagsOf=({client,outside,undone})=>[client&&(isOwn(client)?"you":client),outside&&byOthers(outside),undone&&
"undone"].filter(Boolean);function Undo({edits}){let[action,setAction]=ot(null);return nn`<div class="toolbar" role="toolbar" aria-label="Undo">
      <button type="button" onClick=${()=>setAction("undo")}>Undo the last edit…</button>
      <button type="button" disabled=${!mayRedo(edits)}
        onClick=${()=>setAction("redo")}>Redo…</button>
    </div>
    ${action&&nn`<${UndoDialog} which=${{}} action=${action} title=${TITLES[action]} onClose=${()=>setAction(null)} />`}`}
var mayRedo=edits=>edits.length===COUNT||edits.some(({tool,undone})=>tool==="undo"&&!undone);function GivenToModels(){let[
open3,setOpen]=ot(!1);return nn`<details class="changes" onToggle=${event=>setOpen(event.currentTarget.open)}>
    <summary>What models were given</summary>
    ${open3&&nn`<${Given} />`}
  </details>`}function Given(){let{data,error,again}=useLoad(()=>api.given(),[]);return nn`<${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!data.given.length&&nn`<p class="empty">No hook has given a note to a model yet.</p>`}
    <ul class="rows" aria-label="What models were given">
      ${data?.given.map(({time,client,session,event,notes})=>nn`<li>
          <${When} time=${time} /> ${EVENTS[event]} <span class="tag">${client}</span>
          <span class="quiet"> session ${session.slice(0,4)}</span>
          <span class="meta">${notes.length?notes.map((name,at)=>nn`${at>0&&", "}<a href=${noteHash(name)}>${name}</a>`):
"no note"}</span>
        </li>`)}
    </ul>`}var KEY="zkmem:view",saved=JSON.parse(localStorage.getItem(KEY)??"{}");colourBy.value=saved.colourBy??null;labels.value=
saved.labels??labels.peek();showMissing.value=saved.showMissing??showMissing.peek();A(()=>{let choices={colourBy:colourBy.
value,labels:labels.value,showMissing:showMissing.value};localStorage.setItem(KEY,JSON.stringify(choices))});var reduced=matchMedia(
"(prefers-reduced-motion: reduce)"),still=()=>reduced.matches,narrow=matchMedia("(max-width: 719px)"),inOneColumn=()=>narrow.
matches,coarse=matchMedia("(pointer: coarse)"),byFinger=()=>coarse.matches;function repaint(renderer,partialGraph,anew=!1){
let skipIndexation=!anew&&!renderer.needToProcess;renderer.refresh({partialGraph,skipIndexation,schedule:!0})}var STEP_MS=1200,WIDTH=1e3,MOST_MARKS=250;function Slider({moments,at,time,isShown,onPick}){let slider=useElement(HTMLInputElement);
ut(()=>{sliderWanted.value&&slider.current.focus({preventScroll:!0}),sliderWanted.value=!1},[moments]);let place2=placeOf2(
moments,at,time),{time:when,side,what}=moments[place2],[isPlaying,setPlaying]=ot(!1),last=moments.length-1,onInput=()=>{
setPlaying(!1),onPick(moments[Number(slider.current.value)].at)},play=()=>{!isPlaying&&place2===last&&onPick(moments[0].
at),setPlaying(!isPlaying)};ut(()=>{if(!isPlaying||!isShown)return;if(place2===last)return setPlaying(!1);let timer=setTimeout(
()=>onPick(moments[place2+1].at),STEP_MS);return()=>clearTimeout(timer)},[isPlaying,isShown,place2]);let onKeyDown=event=>{
event.key!==" "||still()||(event.preventDefault(),play())};return nn`<div class="moments">
    ${!still()&&nn`<button type="button" class="plain" aria-keyshortcuts="Space" title="Space, on the slider"
        onClick=${play} disabled=${moments.length<2}>${isPlaying?"Pause":"Play"}</button>`}
    <div>
    <input type="range" ref=${slider} min="0" max=${moments.length-1} value=${place2} disabled=${moments.length<2}
      aria-label="Moment" aria-valuetext=${`${timeText(when)}, ${side} ${what}`} onInput=${onInput}
      onKeyDown=${onKeyDown} />
    <${Marks} moments=${moments} />
    <${Ends} first=${moments[0].time} last=${moments[moments.length-1].time} />
    </div>
  </div>`}function Ends({first,last}){let text=dayText(first)===dayText(last)?timeText:dayText;return nn`<p class="quiet" aria-hidden="true"><span>${text(
first)}</span><span>${text(last)}</span></p>`}function placeOf2(moments,at,time){let exact=moments.findIndex(one=>one.at===
at);return exact<0?Math.max(0,moments.findLastIndex(one=>one.time<=time)):exact}function Marks({moments}){let days=moments.
map(({time})=>new Date(time*1e3).toDateString()),step=WIDTH/Math.max(1,moments.length-1),line=(place2,height)=>`M${place2*
step} 0v${height}`,first=days.map((day,place2)=>day===days[place2-1]?"":line(place2,2)).join(""),all=moments.length>MOST_MARKS?
"":moments.map((_,place2)=>line(place2,1)).join("");return nn`<svg viewBox=${`0 0 ${WIDTH} 2`} preserveAspectRatio="none" aria-hidden="true">
    <path d=${first+all} /></svg>`}var QUIET_MS=120;function MomentStrip({name,now,at,note}){let[isWide,setWide]=ot(!1),[count,setCount]=ot(FEW),{data,error,
again}=useLoad(()=>momentsOf(isWide?null:name,count),[name,isWide,count]),[picked,pick]=usePicked(at);useChanges(names=>(isWide||
!names||names.includes(name))&&again());let{moments=[],isWhole=!0}=data??{},chosen=picked||at,fromNote=note?.earlier&&!picked?
momentOf(note.earlier):null,moment=moments.find(one=>one.at===chosen)??fromNote,onKeyDown=event=>{event.key==="Escape"&&
(event.preventDefault(),go(noteHash(now)))},onWide=()=>{sliderWanted.value=!0,setWide(!isWide)};return nn`<section class="moment-strip" aria-label="As it was" onKeyDown=${onKeyDown}>
      <div class="moment">
        <p>${moment?nn`<${Sentence4} ...${moment} />`:nn`As it was at <q>${chosen}</q>`}</p>
        <a class="button" href=${noteHash(now)}>Now</a>
      </div>
    <${ErrorMessage} error=${error} again=${again} />
    ${moments.length>0&&(moment||note===null)&&nn`<${Slider} moments=${moments} at=${chosen} time=${moment?.time??0}
        isShown=${note!==void 0&&!picked} onPick=${pick} />`}
    </section>
    <div class="toolbar moment-actions" role="toolbar" aria-label="This moment">
      ${note&&nn`<${Restore} name=${now} rev=${note.earlier?.rev||"0"} text="Restore this text…" />`}
      <label class="check"><input type="checkbox" checked=${isWide} onChange=${onWide} />
        Changes of other notes, too</label>
      <${Known} count=${moments.length} isWhole=${isWhole} more=${count<MOST?()=>setCount(count+FEW):null} />
    </div>`}var Sentence4=({time,side,what,edit})=>nn`As it was on <strong>${timeText(time)}</strong>, ${side}${" "}
    ${edit?nn`<a href=${editHash(edit)}>${what}</a>`:what}`;function Known({count,isWhole,more}){return isWhole?nn`<span class="quiet">${count?
numberOf(count,"moment"):"No moment is known."}</span>`:nn`<span class="quiet">The last ${formatNumber(count)} moments</span>
    ${more&&nn`<button type="button" class="plain" onClick=${more}>Show older ones</button>`}`}function usePicked(at){let[
picked,setPicked]=ot("");return ut(()=>setPicked(""),[at]),ut(()=>{if(!picked||picked===at)return;let{name,subpath,named:named2}=route.
peek(),to=noteHash(name??"",subpath,{at:picked,named:named2}),timer=setTimeout(()=>correctAddress(to),QUIET_MS);return()=>clearTimeout(
timer)},[picked]),[picked,setPicked]}function NoteThen({name,at,named:named2}){let[first]=ot(()=>noteNow(name)),wanted={name,at,named:named2},{data,error,again}=useLoad(
async signal=>renamed(data,wanted)??await load(wanted,signal),[name,at,named2,depth.value],first),shown2=error?void 0:data,
isThere=!!(shown2&&isSame(shown2.wanted,wanted)),now=isThere&&shown2?.note.earlier?.now||name;ut(()=>{let present=isThere&&
shown2?.note.earlier?.now;present&&(named2||present!==name)&&correctAddress(noteHash(present,route.peek().subpath,{at}))},
[shown2]),ut(()=>(openNote.value=shown2?.note??null,()=>{openNote.value=null}),[shown2]);let toNow=()=>go(noteHash(now));
return useActions([{title:"This note as it is now",hint:"Esc",act:toNow},{title:"History of this note",act:()=>go(historyHash(
now))}]),useKey("Escape",toNow),nn`<div class="then">
    <${MomentStrip} name=${name} now=${now} at=${at} note=${error?null:isThere?shown2?.note:void 0} />
    <article class="note-page" aria-busy=${!error&&!isThere}>
      <div class="head">
        <${Title} name=${shown2?.note.name??name} focus />
        <${ActionsThen} name=${now} />
      </div>
      ${isThere&&now!==shown2?.note.name&&nn`<p class="quiet">Now called <a href=${noteHash(now)}>${now}</a>.</p>`}
      <${ErrorMessage} error=${error} again=${mayPass(error)?again:void 0} />
      ${!shown2&&!error&&nn`<${Waiting} />`}
      ${shown2&&nn`<${Text} ...${shown2} again=${again} />`}
    </article>
  </div>`}var mayPass=error=>!error?.status||error.status>=500;async function load(wanted,signal){let level=depth.peek();
return{note:await api.note(wanted.name,level,wanted,signal),wanted,level}}function noteNow(name){let note=openNote.peek();
return note?.name===name?{note,wanted:{name,at:"",named:""},level:depth.peek()}:void 0}function renamed(loaded2,wanted){
return loaded2?.level===depth.peek()&&loaded2.wanted.at===wanted.at&&loaded2.note.earlier?.now===wanted.name&&!wanted.named?
{...loaded2,wanted}:null}var isSame=(one,other)=>one.name===other.name&&one.at===other.at&&one.named===other.named;function Text({
note,wanted,level,again}){let[sought,setSought]=ot(!1),onArrive=found=>setSought(!found),part=offset=>api.part(wanted.name,
level,offset,wanted);return nn`<${Properties} values=${note.values} />
    ${note.earlier?.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}
    ${note.characters===0&&nn`<p class="empty">This note was empty.</p>`}
    <${Body} name=${wanted.name} source=${note.html} onArrive=${onArrive} />
    ${note.next_offset!==null&&nn`<${Rest} key=${JSON.stringify([wanted,level])} note=${note} load=${part} again=${again} sought=${sought}
        onArrive=${onArrive} />`}
    ${note.left.length>0&&nn`<p class="quiet">One page shows no more. Not expanded: ${numberOf(note.left.length,"link")}.</p>`}`}var DELAY_MS=400,LEAVE_MS=200,MOST_CHARACTERS2=1500,LONGEST_BLOCK=2e4,MOST_KEPT=40,GAP=6,LINKS='a[href^="#/note/"]:not(.missing, .tabs a, .outline a, .hover-card a, .missing > a)',kept=new Map;changed.subscribe(()=>kept.clear());function HoverCard(){
let[card,setCard]=ot(null),box=useElement(HTMLDivElement);if(ut(()=>follow2(setCard),[]),ut(()=>setCard(null),[address.value.
position]),Nt(()=>{card&&place(box.current,card.link)},[card]),!card)return null;let label=`Preview of ${card.name}`;return nn`<div class="hover-card" ref=${box} role="group" aria-label=${label} key=${card.
source}>
    <p class="hover-name" dir="auto">${card.name}</p>
    ${card.source?nn`<${Boundary}><${Body} name="" source=${card.source} isPreview /></${Boundary}>`:nn`<p class="quiet">This note is empty.</p>`}
  </div>`}function follow2(show2){let stop=new AbortController,timer=0,current=null,hide=()=>{clearTimeout(timer),current=
null,show2(null)},wait=link=>{clearTimeout(timer),link!==current&&(current=link,timer=setTimeout(async()=>{let card=await preview(
link).catch(()=>null);current===link&&link.isConnected&&show2(card)},DELAY_MS))},leave=()=>{clearTimeout(timer),timer=setTimeout(
hide,LEAVE_MS)},on=(kind,act)=>addEventListener(kind,act,{signal:stop.signal,capture:!0,passive:!0}),[x,y]=[NaN,NaN],below=null,
hasMoved=event=>{if(!(event instanceof PointerEvent)||event.pointerType==="touch")return!1;let moved=event.clientX!==x||
event.clientY!==y;return[x,y]=[event.clientX,event.clientY],moved};return on("pointerover",event=>{if(event instanceof PointerEvent&&
event.pointerType==="touch")return;let[link,moved]=[linkOf(event),hasMoved(event)];below=moved?null:link,link&&(moved||link===
current)?wait(link):isInCard(event)?clearTimeout(timer):current&&current!==document.activeElement&&leave()}),on("pointermove",event=>{!hasMoved(event)||!below||linkOf(event)!==below||(wait(below),below=null)}),on("focusin",event=>{let link=linkOf(
event);link?.matches(":focus-visible")?wait(link):current&&!isInCard(event)&&leave()}),on("pointerdown",event=>isInCard(
event)||hide()),on("keydown",event=>{!(event instanceof KeyboardEvent)||event.key==="Tab"||!current||(event.key==="Escape"&&document.querySelector(".hover-card")&&event.stopPropagation(),hide())}),on("scroll",event=>isInCard(event)||hide()),
()=>stop.abort()}var target=event=>event.target instanceof Element?event.target:null,isInCard=event=>!!target(event)?.closest(
".hover-card");function linkOf(event){let link=target(event)?.closest("a");return link?.matches(LINKS)?link:null}async function preview(link){
let{name,subpath,...then}=parse(link.hash);if(!name)return null;let source=kept.get(link.hash)??beginning((await api.part(
name,0,0,then)).html,subpath);return kept.set(link.hash,source),kept.size>MOST_KEPT&&kept.delete(kept.keys().next().value),
{link,name:titleOf(name,subpath),source}}var titleOf=(name,subpath)=>[name,subpath.slice(subpath.lastIndexOf("#")+1)].filter(
Boolean).map(isolated).join(" › ");function beginning(source,subpath){let{body}=new DOMParser().parseFromString(source,
"text/html"),block=(subpath?placeOf(body,subpath):null)??body.firstElementChild;for(;block?.parentElement&&block.parentElement!==
body;)block=block.parentElement;let left=MOST_CHARACTERS2,shown2="";for(;block&&left>0;block=block.nextElementSibling)shown2+=
block.outerHTML.length>LONGEST_BLOCK?plain(block):block.outerHTML,left-=block.textContent?.length??0;return shown2}function plain(block){
let text=document.createElement("p");return text.textContent=`${block.textContent?.slice(0,MOST_CHARACTERS2)}…`,text.outerHTML}
function place(card,link){for(let one of card.querySelectorAll("a, button, input, summary, audio, video, iframe, [tabindex]"))one.setAttribute("tabindex","-1");let at=link.getClientRects()[0]??link.getBoundingClientRect(),{width,height}=card.
getBoundingClientRect(),below=innerHeight-at.bottom-GAP,top=height<=below||below>at.top?at.bottom+GAP:Math.max(GAP,at.top-
GAP-height);card.style.top=`${top}px`,card.style.left=`${Math.max(GAP,Math.min(at.left,innerWidth-width-GAP))}px`}var HELP=[["Anywhere",[["Ctrl K","Open a note, heading or tag, or run a command"],["/","Search"],["n","New note"],["e","Edit the open note"],["↑ ↓ Enter","Choose in a list"],["Esc","Close what is open"],["?","This help"]]],["In the editor",[["Ctrl S","Save"],["Ctrl B, Ctrl I","Bold, italic"],["Ctrl Enter","Tick the task in the line of the cursor"],["Alt Enter, Ctrl click","Open the link at the cursor"],["Ctrl E","Show all marks, as in the file, or only those in the line of the cursor"],["Ctrl F","Find in the note"],["Ctrl Shift V","Paste as plain text"],["Esc","Finish editing; asks about unsaved text"]]],["In the review",[["j, k","Next line, previous line"],["Enter","Open the line, or close it"],["x","Mark the note as seen, or not"],["u","Undo what was done to the note"],["s","Mark all as seen"]]],["In the search",[['"some words"',"these words in this order"],["-word","without the word"],["tag:recipe","with the tag, or one below it"],["path:projects/","with this in the path"],["[status:done]","with the property"],["after:2026-11","of this date or later; also before:"],["on:yesterday","of this date; also today, last-week …"]]],["In the map",[["g","Open the map, or close it"],[
"+ − 0","Zoom in, zoom out, show all"],["← → ↑ ↓","Move the picture"],["Space","Pause a replay, or go on"]]]],
kbds=keys=>keys.split(", ").map((key2,at)=>nn`${at>0&&" "}<kbd>${key2}</kbd>`),ON_A_MAC=/Mac|iPhone|iPad/.test(navigator.
platform);function Help(){let dialog=useModal(helpShown.value);return nn`<dialog ref=${dialog} class="help" aria-labelledby="help-title"
    onClose=${()=>helpShown.value=!1}>
    <h2 id="help-title">Keys and search filters</h2>
    <div class="help-parts">
      ${HELP.map(([title,rows])=>nn`<section>
        <h3>${title}</h3>
        <dl class="keys">${rows.map(([key2,what])=>nn`<div><dt>${kbds(key2)}</dt><dd>${what}</dd></div>`)}</dl>
      </section>`)}
    </div>
    ${ON_A_MAC&&nn`<p class="quiet">On a Mac, press ⌘ instead of Ctrl.</p>`}
    <p>A circle is a note. It is larger if more notes lead to it, and hollow if the note is linked to but not written
      yet. Click a circle to open the note, drag it to move it; the wheel zooms.</p>
    <p><a href="vendor/LICENSES.txt" target="_blank" rel="noopener">Licences of the software in this page</a></p>
    <div class="actions"><button type="button" class="primary" data-first
      onClick=${()=>dialog.current.close()}>Close</button></div>
  </dialog>`}function Passkeys(){let{data,error,again}=useLoad(api.passkeys,[]),[adding,setAdding]=ot(!1),[done,setDone]=ot(""),status=useElement(
HTMLParagraphElement),canAdd=data?.can_add&&CAN_USE_PASSKEYS;if(!error&&!data?.passkeys.length&&!canAdd)return null;let end=(sentence="")=>{
setAdding(!1),setDone(sentence),status.current.focus()},onDone=sentence=>{end(sentence),again()};return nn`<section aria-labelledby="passkeys">
    <h3 id="passkeys">Passkeys</h3>
    <p class="quiet">With a passkey, you sign in without your password: your device asks for your finger, your face or a
      PIN. It opens all vaults of this server that you may use.</p>
    <${ErrorMessage} error=${error} again=${again} />
    <ul class="sign-ins">
      ${data?.passkeys.map(one=>nn`<${Row2} key=${one.id} one=${one} onDone=${onDone} />`)}
    </ul>
    ${adding&&nn`<${Form} onDone=${onDone} onCancel=${()=>end()} />`}
    <p role="status" ref=${status} tabindex="-1">${done}</p>
    ${canAdd&&!adding&&nn`<button type="button" onClick=${()=>setAdding(!0)}>Add a passkey</button>`}
  </section>`}function Row2({one,onDone}){let{act,busy,error}=useAction(async()=>{await api.removePasskey(one.id),onDone(
`Removed: ${one.name}.`)});return nn`<li>
    <div>
      <strong>${one.name}</strong>
      <p class="quiet">added <${When} time=${one.created} />, ${one.used?nn`last used <${When} time=${one.used} />`:"not used yet"}</p>
      <${ErrorMessage} error=${error} />
    </div>
    <button type="button" class="danger" disabled=${busy} aria-label=${`Remove ${one.name}`}
      onClick=${act}>Remove</button>
  </li>`}function Form({onDone,onCancel}){let name=useElement(HTMLInputElement),password=useElement(HTMLInputElement);Nt(
()=>name.current.select(),[]);let{act,busy,error}=useAction(async()=>{let added=await addPasskey(name.current.value,password.
current.value);onDone(`Added: ${added}.`)});return nn`<form class="add-passkey" onSubmit=${act}>
    <label>Name of the passkey <input ref=${name} value=${navigator.platform||"Passkey"} maxlength="60" required
      autocomplete="off" /></label>
    <label>Your password <input ref=${password} type="password" required autocomplete="current-password" /></label>
    <${ErrorMessage} error=${error} />
    <div class="actions">
      <button type="button" class="plain" onClick=${onCancel}>Cancel</button>
      <button type="submit" class="primary" disabled=${busy}>Add</button>
    </div>
  </form>`}var close2=()=>signInsShown.value=!1,SignIns=()=>signInsShown.value&&nn`<${SignInsDialog} />`;function SignInsDialog(){let{
data,error,again}=useLoad(api.signIns,[]),[ended,setEnded]=ot(""),button=useElement(HTMLButtonElement),onEnded=name=>{setEnded(
name),button.current.focus(),again()};return nn`<${Dialog} title="Your sign-ins" onClose=${close2} wide>
    <p class="quiet">These have access to this vault in your name. If you end one, its client must sign in again.</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    <ul class="sign-ins">
      ${data?.sign_ins.map(one=>nn`<${Row3} key=${one.name} one=${one} onEnded=${onEnded} />`)}
    </ul>
    <p role="status">${ended&&`Ended: ${ended}.`}</p>
    <${Passkeys} />
    <p class="quiet">The person who runs the server sees everybody’s with <code>zkmem token list</code>.</p>
    <div class="actions"><button type="button" class="primary" ref=${button} data-first
      onClick=${close2}>Close</button></div>
  <//>`}function Row3({one,onEnded}){let{act,busy,error}=useAction(async()=>{await api.endSignIn(one.name),onEnded(one.name)}),
what=one.read_only?"reads":"reads and writes";return nn`<li>
    <div>
      <strong>${one.client}</strong>${one.place&&`, ${one.place}`}${one.is_current&&" (you are using this one)"}
      <p>${what} ${one.folder?nn`the notes below <em>${one.folder}/</em>`:"the whole vault"}</p>
      <p class="quiet">${one.name}: signed in <${When} time=${one.created} />, ${one.used?nn`last used <${When} time=${one.
used} />`:"not used yet"}, ends <${When} time=${one.expires} /></p>
      <${ErrorMessage} error=${error} />
    </div>
    ${!one.is_current&&nn`<button type="button" class="danger" disabled=${busy} aria-label=${`End ${one.name}`}
        onClick=${act}>End</button>`}
  </li>`}var MOST_NUMBERS=10;function Opened({line,onUndo}){let{note,kind,edit,first,edits,outside,version,is_note:isNote}=line,may=mayUndo(
line),reason=whyNoUndo(outside),numbers=edits.slice(0,MOST_NUMBERS);return nn`<div class="line-open">
    <div class="toolbar">
      ${isNote&&(kind==="deleted"?nn`<${AsItWas} name=${note} />`:nn`<a class="button" href=${noteHash(note)}>Open the note</a>`)}
      ${!isNote&&kind!=="deleted"&&nn`<button type="button" onClick=${()=>openFile(note)}>Open the file</button>`}
      ${may&&nn`<button type="button" class="danger" onClick=${()=>onUndo()}>Undo…</button>`}
      <span class="quiet">${outside?"Changes":"Edits"}${numbers.map(number=>nn` <a href=${editHash(String(number))} key=${number}>${number}</a>`)}${edits.
length>numbers.length&&` and ${edits.length-numbers.length} more`}: <span
        title=${version}>${nameOf(line)}</span></span>
      ${reason&&nn`<span class="quiet">${reason}</span>`}
    </div>
    <${ChangedNotes} load=${()=>api.change(addressOf(line))} keys=${[note,edit,first]} isBare
      onUndo=${may&&kind!=="deleted"?onUndo:void 0} />
  </div>`}function withNeeded(edits,chosen,added){let all=new Set([...chosen,added]);for(let{edit,needs}of edits.toReversed())all.
has(edit)&&needs.forEach(one=>all.add(one));return all}function withDependent(edits,numbers){let all=new Set(numbers);for(let{
edit,needs}of edits)needs.some(one=>all.has(one))&&all.add(edit);return all}function without(edits,chosen,removed){let gone=withDependent(
edits,removed);return new Set([...chosen].filter(edit=>!gone.has(edit)))}function withToggled(edits,chosen,group){return group.
every(edit=>chosen.has(edit))?without(edits,chosen,group):group.reduce((all,edit)=>withNeeded(edits,all,edit),chosen)}function groupsOf(edits){
let divisions=[divided(edits,({client})=>[client]),divided(edits,({notes})=>notes.map(({name})=>name.slice(0,name.lastIndexOf(
"/")+1)||"no folder")),divided(edits,({notes})=>notes.map(({outcome})=>outcome))];return[{label:"all",edits:edits.map(({
edit})=>edit)},...divisions.flat()]}function divided(edits,labelsOf){let groups=new Map;for(let edit of edits)for(let label of new Set(
labelsOf(edit).filter(Boolean)))groups.set(label,[...groups.get(label)??[],edit.edit]);return groups.size<2?[]:[...groups].
slice(0,30).map(([label,numbers])=>({label,edits:numbers}))}var LINES=100,NAMES=50,NOTES=100;function useGroups({client,groups,edits}){let[fetched,setFetched]=ot(new Map),candidates=[
...fetched,...byGroup(edits)],totals=new Map(groups.map(group=>[groupKey(group),group.total])),loaded2=new Map(candidates.
filter(([key2,list])=>list.length===totals.get(key2)));return{loaded:loaded2,load:async wanted=>{let missing=wanted.filter(
group=>!loaded2.has(groupKey(group)));if(!missing.length)return loaded2;let[{project,month}]=missing,more=byGroup(await editsOf(
{client,project,...missing.length===1?{month}:{}}));return setFetched(before2=>new Map([...before2,...more])),new Map([...loaded2,
...more])},edits:inOrder2(loaded2)}}var inOrder2=loaded2=>[...loaded2.values()].flat().sort((one,other)=>one.edit-other.
edit),numbersOf=(loaded2,groups)=>groups.flatMap(group=>loaded2.get(groupKey(group))??[]).map(({edit})=>edit);async function editsOf(group){
let edits=[];for(;;){let[part]=(await api.proposedGroup({...group,from:String(edits.length)})).change_sets;if(edits.push(
...part?.edits??[]),!part?.edits.length||edits.length>=part.total)return edits}}function Imported(props){return nn`<ul
    class="import"
    aria-label="Proposed notes by project and month"
  >
    ${projectsOf(props.set.groups).map(({project,total,groups})=>nn`<li key=${project}>
          <${GroupBox}
            ...${props}
            label=${`All of ${project}`}
            wanted=${groups}
            total=${total}
          />
          <details>
            <summary>
              <strong>${project}</strong>
              ${" "}<span class="quiet">${numberOf(total,"note")}</span>
            </summary>
            <ul>
              ${groups.map(group=>nn`<${Month} key=${group.month} ...${props} group=${group} />`)}
            </ul>
          </details>
        </li>`)}
  </ul>`}function Month({group,...props}){let[isOpen,setOpen]=ot(!1),onToggle=({currentTarget})=>setOpen(currentTarget.open),
label=`${group.project}, ${monthText(group.month)}`;return nn`<li>
    <${GroupBox}
      ...${props}
      label=${label}
      wanted=${[group]}
      total=${group.total}
    />
    <details onToggle=${onToggle}>
      <summary>
        ${monthText(group.month)}
        ${" "}<span class="quiet">${numberOf(group.total,"note")}</span>
      </summary>
      ${isOpen&&nn`<${Lines} ...${props} group=${group} />`}
    </details>
  </li>`}function GroupBox({groups,chosen,setChosen,label,wanted,total}){let count=numbersOf(groups.loaded,wanted).filter(
edit=>chosen.has(edit)).length,toggle=useAction(async()=>{let loaded2=await groups.load(wanted);setChosen(withToggled(inOrder2(
loaded2),chosen,numbersOf(loaded2,wanted)))});return nn`<${Box}
      label=${label}
      isChecked=${count===total}
      isSome=${count>0&&count<total}
      isBusy=${toggle.busy}
      onChange=${toggle.act}
    /><${ErrorMessage} error=${toggle.error} />`}var Box=({label,isChecked,isSome=!1,isBusy=!1,onChange})=>vault.value?.
can_write?nn`<input
        type="checkbox"
        aria-label=${label}
        checked=${isChecked}
        indeterminate=${isSome}
        disabled=${isBusy}
        onChange=${onChange}
      />`:nn`<span></span>`;function Lines({set,groups,chosen,setChosen,group}){let[count,setCount]=ot(LINES),{error,again}=useLoad(
()=>groups.load([group]),[groupKey(group),group.total]),edits=groups.loaded.get(groupKey(group));if(!edits)return error?
nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`;let toggle=edit=>setChosen(withToggled(groups.edits,
chosen,[edit]));return nn`<ul>
      ${edits.slice(0,count).map(edit=>nn`<${Line}
              key=${edit.edit}
              set=${set}
              edit=${edit}
              isChosen=${chosen.has(edit.edit)}
              toggle=${toggle}
            />`)}
    </ul>
    ${edits.length>count&&nn`<button type="button" onClick=${()=>setCount(count+LINES)}>
        Show ${formatNumber(Math.min(LINES,edits.length-count))} more
      </button>`}`}function Line({set,edit:{edit,notes,title},isChosen,toggle}){let[isOpen,setOpen]=ot(!1),name=notes.length===
1?parted(notes[0].name).last:title;return nn`<li>
    <${Box}
      label=${name}
      isChecked=${isChosen}
      onChange=${()=>toggle(edit)}
    />
    <div>
      <button
        type="button"
        class="plain"
        aria-expanded=${isOpen}
        onClick=${()=>setOpen(!isOpen)}
      >
        ${name}
      </button>
      ${notes[0]?.outcome!=="created"&&nn` <span class="tag">${notes[0]?.outcome}</span>`}
      ${isOpen&&nn`<${ProposedNote} set=${set} edit=${edit} />`}
    </div>
  </li>`}function ProposedNote({set,edit}){let[links,setLinks]=ot([]);return nn`<${ChangedNotes} load=${async()=>{let answer=await api.
proposedChanges(set.client,edit,0,NOTES);return setLinks(await Promise.all(targetsIn(answer.notes).map(one=>stateOf(one,
set)))),answer}} keys=${[set.client,edit]} isBare />
    ${links.length>0&&nn`<p class="would-link">
        Would link
        to:${links.map(({target:target2,state})=>nn` <span key=${target2}
              >${state==="there"?nn`<a href=${linkHash(target2)}>${target2}</a>`:nn`${target2} <span class="tag">${state}</span>`}</span
            >`)}
      </p>`}`}async function stateOf({target:target2,isMissing},{notes}){if(isMissing===!1)return{target:target2,state:"there"};if(notes.some(({name})=>leadsTo(target2,name)))return{target:target2,state:"proposed"};if(isMissing)return{target:target2,
state:"missing"};let{names}=await api.names(target2,NAMES,new AbortController().signal);return{target:target2,state:names.
some(name=>leadsTo(target2,name))?"there":"missing"}}var FEW2=1,MOST5=100,Proposed=()=>proposed.value.map(set=>nn`<${Boundary} key=${set.client}><${Card} set=${set} /></${Boundary}>`);
function Card({set}){let{client,name:who,total,notes,more,files,ended:seen}=set,[isChoosing,setChoosing]=ot(!1),[ticked,
setChosen]=ot(new Set),imported=isImport(set),groups=useGroups(set),edits=imported?groups.edits:set.edits,chosen=new Set(
edits.map(({edit})=>edit).filter(edit=>ticked.has(edit))),choosing=imported?chosen.size>0:isChoosing,[dropping,setDropping]=ot(
!1),[merging,setMerging]=ot(null),[left,setLeft]=ot([]),[made,setMade]=ot(0),what=imported?"note":"edit",check=useLoad(()=>api.
blocked(client),[client,seen,total]);useChanges(check.again);let blocked=check.data??{edits:[],unchecked:0},some=()=>choosing?
{edits:edits.map(({edit})=>edit).filter(edit=>chosen.has(edit))}:{},ended=()=>(setChosen(new Set),fetchProposed()),accept=useAction(
async()=>{let done=await api.accept({client,seen,...some()});setLeft(done.left),setMade(done.accepted.length);let count=numberOf(
done.accepted.length,what);done.accepted.length&&!done.left.length&&toast(`Accepted: ${count} by ${who}.`),await ended()}),
drop=useAction(async()=>{let{dropped}=await api.drop({client,seen,...some()});toast(`Dropped: ${numberOf(dropped.length,
what)} by ${who}.`),await ended()}),settled=()=>(setLeft([]),ended()),later=choosing?withDependent(edits,chosen).size-chosen.
size:0,needing=later?`, and ${numberOf(later,"later edit")} that ${later===1?"needs":"need"} them,`:"",toDrop=choosing?`${numberOf(
chosen.size,`chosen ${what}`)}${needing}`:`All proposed ${what}s (${total})`,onDrop=yes=>{setDropping(!1),yes&&drop.act()},
busy=accept.busy||drop.busy||choosing&&!chosen.size,showsBlocked=!left.length&&!choosing&&(!imported||blocked.edits.length>
0),which=choosing?`chosen (${formatNumber(chosen.size)})`:"all",size=`${numberOf(total,"edit")} in ${numberOf(notes.length+
more,"note")}`;return nn`<article class="card new" style=${{"--hue":hueOf(who)}} aria-label=${`Proposed by ${who}`}>
    <header>
      <h3>${imported?summaryOf(set):`${who} proposes`}</h3>
      <span class="quiet"><${When} time=${set.ended} since=${set.began} />${!imported&&` · ${size}`}</span>
    </header>
    <p class="quiet">These ${what}s are not made yet. What you and others write meanwhile stays.</p>
    ${files.length>0&&nn`<p class="quiet names">Other files change, too: ${files.map(isolated).join(", ")}.</p>`}
    ${imported&&nn`<${Imported} set=${set} groups=${groups} chosen=${chosen} setChosen=${setChosen} />`}
    ${!imported&&(choosing?nn`<${Choice2} set=${set} blocked=${blocked} chosen=${chosen} setChosen=${setChosen} merge=${setMerging} />`:
nn`<${Notes} key=${`${set.ended} ${total}`} set=${set} />`)}
    ${left.length>0&&nn`<${LeftOut} client=${client} left=${left} made=${made} done=${settled}
      merge=${setMerging} />`}
    ${showsBlocked&&nn`<${BlockedEdits} edits=${edits} blocked=${blocked} merge=${setMerging} />`}
    ${vault.value?.can_write&&nn`<div class="toolbar" role="toolbar" aria-label=${`Proposed by ${who}`}>
        <button type="button" class="primary" onClick=${accept.act} disabled=${busy}>Accept ${which}</button>
        <button type="button" class="danger" onClick=${()=>setDropping(!0)} disabled=${busy}>Drop ${which}…</button>
        ${!imported&&nn`<button type="button" aria-expanded=${choosing} onClick=${()=>setChoosing(!choosing)}>${choosing?
"Show all changes":"Choose edits"}</button>`}
      </div>`}
    <${ErrorMessage} error=${accept.error??drop.error} />
    ${merging!==null&&nn`<${Merging} client=${client} edit=${merging} onClose=${()=>setMerging(null)} onDone=${settled} />`}
    ${dropping&&nn`<${Question} title="Drop these edits?" yes="Drop" danger onAnswer=${onDrop}>
        <p>${`${toDrop} by ${who} will be removed for good.`}</p>
      <//>`}
  </article>`}function Notes({set:{client,notes,more}}){return nn`${notes.map(({name,outcome,words,added,removed,first,notes:count})=>nn`<details class="proposed-note" key=${name}
        open=${notes.length<=FEW2}>
        <summary><strong>${name}</strong> <span
          class=${isDestroying(outcome)?"destroyed":"quiet"}>${directionless(words)}</span>${!isDestroying(outcome)&&nn` <${Size} added=${added} removed=${removed} />`}</summary>
        <${ChangedNotes} load=${()=>api.proposedChanges(client,void 0,first,count)} keys=${[client,first]} />
      </details>`)}
  ${more>0&&nn`<p class="quiet">${numberOf(more,"more note")}</p>`}`}function Choice2({set:{client,edits,total},blocked,
chosen,setChosen,merge}){let reasons=new Map(blocked.edits.map(one=>[one.edit,one])),[shown2,setShown]=ot(null),toggle=group=>setChosen(
withToggled(edits,chosen,group));return nn`<div class="toolbar" role="group" aria-label="Choose by client, folder or kind">
      ${groupsOf(edits).map(group=>nn`<button type="button" key=${group.label} aria-pressed=${pressed(group.edits,chosen)}
          onClick=${()=>toggle(group.edits)}>${group.label} <span class="count">${formatNumber(group.edits.length)}</span></button>`)}
    </div>
    <ul class="proposed-edits">
      ${edits.map(({edit,title,needs})=>nn`<li key=${edit}>
          <label title=${`Edit ${edit}`}><input type="checkbox" checked=${chosen.has(edit)}
            onChange=${()=>toggle([edit])} /> <span>${title}</span></label>${" "}
          ${needs.length>0&&nn`<span class="quiet">after ${titlesOf(edits,needs)}</span>${" "}`}
          ${reasons.has(edit)&&nn`<p class="notice warn"><${Reason} left=${reasons.get(edit)}
            merge=${merge} /></p>`}
          <button type="button" class="quiet" aria-expanded=${shown2===edit}
            onClick=${()=>setShown(shown2===edit?null:edit)}>${shown2===edit?"Hide":"Show"}<span
              class="unseen"> ${title}</span></button>
          ${shown2===edit&&nn`<${ChangedNotes} load=${()=>api.proposedChanges(client,edit,0,MOST5)} keys=${[client,edit]} />`}
        </li>`)}
    </ul>
    ${edits.length<total&&nn`<p class="quiet">Accept or drop some of these to see ${numberOf(total-edits.length,"more edit")}.</p>`}`}function BlockedEdits({edits,blocked:{edits:blocked,unchecked},merge}){let rest=unchecked>0&&nn`<p class="quiet">${numberOf(
unchecked,"later edit")} ${unchecked===1?"is":"are"} not checked yet.</p>`;return blocked.length?nn`<div class="notice warn" role="note">
    <p>${numberOf(blocked.length,"edit")} cannot be accepted as the notes are now:</p>
    <ul>${blocked.map(left=>nn`<li key=${left.edit}>
        <strong>${titlesOf(edits,[left.edit])}</strong>: <${Reason} left=${left} merge=${merge} /></li>`)}</ul>
    ${rest}
  </div>`:rest||null}var pressed=(group,chosen)=>group.every(edit=>chosen.has(edit))?"true":group.some(edit=>chosen.has(
edit))?"mixed":"false",titlesOf=(edits,numbers)=>numbers.map(number=>edits.find(({edit})=>edit===number)?.title??`edit ${number}`).
join(", ");function LeftOut({client,left,made,done,merge}){let gone=left.filter(one=>one.gone).map(({edit})=>edit),keep=useAction(
async()=>{await api.accept({client,edits:gone,as_new:!0}),await done()});return nn`<div class="trouble" role="alert">
    ${made>0&&nn`<p>Accepted: ${numberOf(made,"edit")}.</p>`}
    <p>${numberOf(left.length,"edit")} could not be made, and still ${left.length===1?"waits":"wait"}:</p>
    <ul>${left.map(one=>nn`<li key=${one.edit}><${Reason} left=${one} merge=${merge} /></li>`)}</ul>
    ${gone.length>0&&nn`<button type="button" onClick=${keep.act} disabled=${keep.busy}>Keep as ${gone.length===1?"a new note":"new notes"}</button>`}
    <${ErrorMessage} error=${keep.error} />
  </div>`}var Reason=({left:{edit,reason,note},merge})=>nn`<${Sentence} text=${reason} />${note&&vault.value?.can_write&&
nn` <button type="button" onClick=${()=>merge(edit)}>Open both versions<span
    class="unseen"> of ${note}</span>…</button>`}`;function Merging({client,edit,onClose,onDone}){let[isTyped,setTyped]=ot(
!1),{data,error}=useLoad(async()=>{let{base,mine,theirs,...note}=await api.proposedVersions(client,edit);return{...note,
texts:{base,mine,theirs,...await api.merge({base,mine,theirs})}}},[client,edit]),save=async text=>{let{left}=await api.accept(
{client,edits:[edit],text,etag:data?.etag});if(left.length)throw new Error(left[0].reason);toast(`Accepted, as you merged it: ${isolated(data?.name??"")}.`),onClose(),await onDone()};return nn`<${Dialog} title="Merge the proposed edit" onClose=${onClose} busy=${isTyped} wide>
    <${ErrorMessage} error=${error} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data?nn`<div class="editor"><${TwoVersions} kind="proposed" name=${data.name} texts=${data.texts} onSave=${save}
            onChange=${()=>setTyped(!0)} onBack=${onClose} back="Cancel" /></div>`:nn`<div class="actions"><button type="button" data-first onClick=${onClose}>Cancel</button></div>`}
  <//>`}var COUNT2=20;function Review({query}){let waits=proposed.value.length>0;return nn`<article class="home review" aria-label="Review">
    ${waits&&nn`<section aria-label="Proposed edits"><h2 class="title">Proposed edits</h2><${Proposed} /></section>`}
    <h2 class=${waits?"title":"unseen"} tabindex="-1">${waits?"What happened":"Review"}</h2>
    <${News} filter=${filterOf(query)} />
    ${!query&&nn`<${Sittings} />`}
    <p class="quiet"><a href="#/history">History of all edits</a></p>
  </article>`}function Sittings(){let[pages,setPages]=ot(1),{data,error,again}=useLoad(()=>loadPages(pages),[pages]);useChanges(
again);let details=useElement(HTMLDetailsElement);ut(()=>{unseen.value===0&&(details.current.open=!0)},[unseen.value]);let sittings=data?.
sittings??[];return nn`<details class="sittings-section" ref=${details}>
    <summary>All sittings</summary>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!sittings.length&&nn`<p class="empty">No tool has edited this vault yet. From the first edit by a tool on, changes by hand
        are listed, too.</p>`}
    <ul class="sittings" aria-label="All sittings">
      ${sittings.map(one=>nn`<${SittingRow} key=${one.edit} sitting=${one} />`)}
    </ul>
    ${data?.next&&nn`<button type="button" onClick=${()=>setPages(pages+1)}>Show older ones</button>`}
  </details>`}async function loadPages(pages){let whole2=await api.review(null,COUNT2);for(let page=1;page<pages&&whole2.
next;page+=1){let{sittings,next}=await api.review(whole2.next,COUNT2);whole2.sittings.push(...sittings),whole2.next=next}
return whole2}function SittingRow({sitting}){let{edit,client,version,outside,edits,counts,more,began,ended,undone,edits_undone:some}=sitting,
what=outside?"change":"edit",texts=counts.map((count,at)=>countText(count,at===0));return more&&texts.push(numberOf(more,
"more note")),nn`<li style=${{"--hue":hueOf(client||outside)}}>
    <a href=${reviewHash({sitting:String(edit)})}>
      <i class="dot" aria-hidden="true"></i><strong title=${version}>${nameOf(sitting)}</strong>:${" "}
      ${[numberOf(edits,what),...texts].join(", ")}
      ${undone&&nn` <span class="tag">undone</span>`}
      ${!undone&&some>0&&nn` <span class="tag">${numberOf(some,what)} undone</span>`}
      ${sitting.synchronised&&nn` <span class="tag">from another machine</span>`}
      <span class="meta"><${When} time=${ended} since=${began} /></span>
    </a>
  </li>`}var PAUSE_MS=80,NAMES2=8,PLACES=6,TAGS_ALONE=40,RECENT=6,NOTHING={query:"",names:[],places:null},recent=[];A(()=>{let{name,
view}=route.value;name&&view==="note"&&(recent=[name,...recent.filter(one=>one!==name)].slice(0,RECENT+1))});var Palette=()=>paletteShown.
value&&nn`<${Box2} />`;function Box2(){let[typed,setTyped]=ot(""),[chosen,setChosen]=ot({typed:"",id:""}),[hurried,setHurried]=ot(
""),[actions]=ot(actionsNow),input=useElement(HTMLInputElement),query=typed.trim(),answer=useAnswer(query),isAnswered=query.
startsWith(">")||answer.query===query,{data:home}=useLoad(()=>api.home(RECENT),[]),latest=(home?.recent??[]).map(({name})=>name),
groups=groupsOf2(query,isAnswered?answer:{...NOTHING,query},actions,latest),rows=groups.flatMap(group=>group.rows),active=chosen.
typed===typed&&rows.some(({id})=>id===chosen.id)?chosen.id:rows[0]?.id??"",close3=()=>paletteShown.value=!1,choose=row=>{
close3(),setTimeout(row.act)},step=by=>{let at=rows.findIndex(({id})=>id===active);setChosen({typed,id:rows[(at+by+rows.
length)%rows.length]?.id??""})};return ut(()=>{hurried&&hurried===query&&isAnswered&&rows[0]&&choose(rows[0])},[hurried,
query,isAnswered]),Nt(()=>document.getElementById(active)?.scrollIntoView({block:"nearest"}),[active]),nn`<${Dialog} title="Commands" onClose=${close3} kind="palette">
    <input
      ref=${input}
      data-first
      type="text"
      role="combobox"
      aria-label="Open a note or run a command"
      aria-autocomplete="list"
      aria-expanded="true"
      aria-controls="palette-rows"
      aria-activedescendant=${active}
      placeholder="Open a note or run a command"
      autocomplete="off"
      spellcheck=${!1}
      enterkeyhint="go"
      value=${typed}
      onInput=${()=>{setTyped(input.current.value),setHurried("")}}
      onKeyDown=${event=>{let keys={ArrowDown:()=>step(1),ArrowUp:()=>step(-1),Enter:()=>{let now=input.current.value.trim(),
row=isAnswered&&now===query?rows.find(({id})=>id===active):null;row?choose(row):setHurried(now)}};!keys[event.key]||event.
isComposing||(event.preventDefault(),keys[event.key]())}}
    />
    <div
      id="palette-rows"
      role="listbox"
      aria-label="Notes and commands"
      tabindex="-1"
      onMouseDown=${event=>event.preventDefault()}
    >
      ${groups.map(({title,rows:list})=>nn`<div role="group" aria-label=${title} key=${title}>
            <div class="found-title" aria-hidden="true">${title}</div>
            ${list.map(row=>nn`<${Option}
                  key=${row.id}
                  row=${row}
                  query=${query}
                  selected=${row.id===active}
                  choose=${()=>choose(row)}
                />`)}
          </div>`)}
      ${!rows.length&&nn`<div role="option" aria-disabled="true" class="nothing">
          ${isAnswered?"Nothing found.":"Searching…"}
        </div>`}
    </div>
    <p class="palette-help">
      <span><kbd>↑</kbd> <kbd>↓</kbd> choose</span
      ><span><kbd>Enter</kbd> open</span><span><kbd>Esc</kbd> close</span
      ><span><kbd>></kbd> only commands</span
      ><span><kbd>#</kbd> only tags</span>
    </p>
    <span class="unseen" role="status"
      >${isAnswered&&query?`${rows.length} found`:""}</span
    >
  <//>`}function Option({row:{id,title,detail,keys},query,selected,choose}){return nn`<div
    id=${id}
    role="option"
    aria-selected=${selected}
    onClick=${choose}
  >
    <span class="row-title" dir="auto"
      >${marked(title,query.replace(/^[>#]\s*/,""))}</span
    >
    ${detail&&nn`<span class="row-detail" dir="auto">${detail}</span>`}
    ${keys&&nn`<kbd>${keys}</kbd>`}
  </div>`}function marked(text,query){let at=query?placeIn(text,query):-1,end=at+query.length;return at<0?text:nn`${text.
slice(0,at)}<b>${text.slice(at,end)}</b>${text.slice(end)}`}function groupsOf2(query,{names,places},actions,latest){let sought=query.
replace(/^>\s*/,"").toLowerCase(),wanted=sought.split(/\s+/).filter(Boolean),fits=title=>wanted.every(word=>title.toLowerCase().
includes(word)),commands={title:"Commands",rows:actions.filter(({title})=>fits(title)).toSorted((one,other)=>fit(one.title,
sought)-fit(other.title,sought)).map(({title,key:key2,hint,act})=>({id:`action-${title}`,title,keys:key2??hint,act}))},tags={
title:"Tags",rows:(places?.tags??[]).map(tagRow)};if(query.startsWith("#"))return filled([tags]);if(query.startsWith(">"))
return filled([commands]);let notes={title:query?"Notes":"Opened last",rows:(query?names:others(recent)).map(noteRow)},best=rows=>Math.
min(...rows.map(({title})=>fit(title,sought))),begins=commands.rows.some(({title})=>title.toLowerCase().startsWith(wanted[0])),
isCommand=query.length>2&&begins||best(commands.rows)<best(notes.rows),isNew=query&&canWrite(query)&&!names.some(name=>name.
toLowerCase()===query.toLowerCase()),first=!query||isCommand?[commands,notes]:[notes,commands],opened=others(recent),changed2={
title:"Changed last",rows:others(latest.filter(name=>!opened.includes(name))).map(noteRow)};return filled([...query?first:
[notes,changed2,commands],{title:"Aliases",rows:(places?.aliases??[]).map(aliasRow)},{title:"Headings",rows:(places?.headings??
[]).map(headingRow)},tags,{title:"New",rows:isNew?[newRow(query)]:[]},{title:"Search",rows:query?[searchRow(query)]:[]}])}
var filled=groups=>groups.filter(({rows})=>rows.length),others=names=>names.filter(name=>name!==route.peek().name).slice(
0,RECENT);function noteRow(name){let{folders,last}=parted(name);return{id:`note-${name}`,title:last,detail:folders,act:()=>open2(
name)}}var aliasRow=({text,name})=>({id:`alias-${text}-${name}`,title:text,detail:name,act:()=>open2(name)}),headingRow=({
text,name,subpath})=>({id:`heading-${name}-${subpath}`,title:text,detail:name,act:()=>go(noteHash(name,subpath))}),tagRow=({
tag,notes})=>({id:`tag-${tag}`,title:`#${tag}`,detail:String(notes),act:()=>go(tagHash(tag))}),searchRow=query=>({id:"search-all",title:"All results",detail:"in the texts of notes, too",act:()=>go(searchHash(query))}),newRow=name=>({id:"new",
title:`Create “${isolated(name)}”`,detail:"a new note",act:()=>createOrRestore(name)});function useAnswer(query){let[
answer,setAnswer]=ot(NOTHING);return ut(()=>{if(query.startsWith(">"))return;if(!query)return setAnswer(NOTHING);let stop=new AbortController,
timer=setTimeout(()=>ask(query,stop.signal,setAnswer).catch(failed2),PAUSE_MS);return()=>{clearTimeout(timer),stop.abort()}},
[query]),answer}async function ask(query,signal,show2){let isTag=query.startsWith("#"),places=api.places(query,isTag?TAGS_ALONE:
PLACES,signal);if(places.catch(()=>{}),isTag)return show2({query,names:[],places:await places});let names=ranked((await api.
names(query,50,signal)).names,query).slice(0,NAMES2);show2({query,names,places:null}),show2({query,names,places:await places})}
function failed2(error){error.name!=="AbortError"&&statusOf(error)!==422&&showError(error)}var STEP=50,MOST6=1e3,grown={query:"",count:STEP};function SearchResults({query}){let[count,setCount]=ot(grown.query===query?
grown.count:STEP),input=useElement(HTMLInputElement),{data,error,again}=useLoad(signal=>find(query,signal,count),[query,
count]);useChanges(again),ut(()=>{query||input.current.focus()},[]);let more=()=>{grown={query,count:Math.min(MOST6,count+
STEP)},setCount(grown.count)},submit=event=>{event.preventDefault(),input.current.value.trim()&&go(searchHash(input.current.
value.trim()))},texts=data?.hits.length??0,found=data&&query&&(data.names.length||texts)?numberOf(data.names.length+texts,
"note"):"";return nn`<article class="lists results">
    <h2 class="title" tabindex="-1">Search ${found&&nn`<span class="count">${found}</span>`}</h2>
    <form role="search" aria-label="All results" onSubmit=${submit}>
      <input ref=${input} type="search" aria-label="Words and filters" value=${query} autocomplete="off"
        maxlength="1000" spellcheck=${!1} /><button type="submit" class="primary">Search</button>
    </form>
    <${ErrorMessage} error=${error} again=${again} />
    ${query&&!data&&!error&&nn`<${Waiting} />`}
    <div role="status">
      ${data?.remarks.map(one=>nn`<p class="quiet" key=${one}><${Sentence} text=${one} /></p>`)}
    </div>
    <${Hits} title="Names" hits=${data?.names.map(name=>({name}))??[]} />
    <${Hits} title="Text" hits=${data?.hits??[]} />
    ${data&&data.isFull&&count<MOST6&&nn`<button type="button" onClick=${more}>Show more</button>`}
    <${Hits} title="Linked from these" hits=${data?.linked.map(name=>({name}))??[]} />
  </article>`}function Hits({title,hits}){return hits.length?nn`<section aria-label=${title}>
    <h3>${title}</h3>
    <ul class="rows" onKeyDown=${moveInList} aria-label=${title}>
      ${hits.map(hit=>{let{folders,last}=parted(hit.name);return nn`<li key=${hit.name}>
          <a href=${noteHash(hit.name)} data-row>${folders&&nn`<small>${folders}</small>`}${last}</a>
          <${HitDate} ...${hit} /><${Passage} ...${hit} />
        </li>`})}
    </ul>
  </section>`:null}var PAGE2=200;function Base({base,view}){let[sort,setSort]=ot(""),[count,setCount]=ot(PAGE2),{data:bases}=useLoad(api.bases,
[base]),{data,error,again}=useLoad(()=>api.table({base,view,sort,count}),[base,view,sort,count]);useChanges(again);let views=bases?.
bases.find(({path})=>path===base)?.views??[];return nn`<article class="base">
    <h2 class="title" tabindex="-1">
      ${base}${" "}
      ${data&&nn`<span class="count" title=${numberOf(data.total,"note")}>${formatNumber(data.total)}</span>`}
    </h2>
    ${views.length>1&&nn`<label class="quiet"
        >View
        <select
          value=${view||views[0]}
          onChange=${({currentTarget})=>go(baseHash(base,currentTarget.value))}
        >
          ${views.map(one=>nn`<option key=${one} selected=${one===(view||views[0])}>${one}</option>`)}
        </select></label
      >`}
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data?.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}
    ${data&&nn`<${Table2} table=${data} name=${view||base} sort=${sort} setSort=${setSort} again=${again} />`}
    ${data?.next&&nn`<button
        type="button"
        onClick=${()=>setCount(count+PAGE2)}
        disabled=${count>=1e3}
      >
        More
      </button>`}
  </article>`}function Table2({table:{title:first,columns,rows,groups,summaries},name,sort,setSort,again}){let sizes=new Map(
groups.map(({value,size})=>[value,size])),header=(key2,title)=>{let order=sort===key2?"ascending":sort===`-${key2}`?"descending":void 0,next={ascending:`-${key2}`,descending:"",none:key2}[order??"none"];return nn`<th key=${key2} scope="col" aria-sort=${order}>
      <button type="button" onClick=${()=>setSort(next)}>${title}</button>
    </th>`},summary=key2=>{let found=summaries.find(({column})=>column===key2);return found&&`${found.name}: ${found.value}`};
return nn`<div
    class="scrolled"
    tabindex="0"
    role="region"
    aria-label=${`Table ${name}`}
  >
    <table>
      <thead>
        <tr>
          ${header("file.name",first==="note"?"Note":first)}
          ${columns.map(({key:key2,title})=>header(key2,title))}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row,at)=>nn` ${groups.length>0&&row.group!==rows[at-1]?.group&&nn`<tr key=${`group ${row.group}`}>
                  <th
                    class="group"
                    scope="rowgroup"
                    colspan=${columns.length+1}
                  >
                    ${row.group||"empty"}${" "}
                    <span class="count">${sizes.get(row.group)}</span>
                  </th>
                </tr>`}
              <tr key=${row.note}>
                <th scope="row">
                  <a href=${noteHash(row.note)}>${row.note}</a>
                </th>
                ${row.cells.map((cell,number)=>nn`<td key=${columns[number].key}>
                      <${Value2}
                        column=${columns[number]}
                        cell=${cell}
                        note=${row.note}
                        again=${again}
                      />
                    </td>`)}
              </tr>`)}
      </tbody>
      ${summaries.length>0&&nn`<tfoot>
          <tr>
            <th scope="row">${summary("file.name")}</th>
            ${columns.map(({key:key2})=>nn`<td key=${key2}>${summary(key2)}</td>`)}
          </tr>
        </tfoot>`}
    </table>
  </div>`}function Value2({column:{key:key2,title,editable},cell:{text,type},note,again}){let[editing,setEditing]=ot(!1),
label=`${title} of ${note}`;if(!editable||!canWrite(note)||!EDITABLE.has(type))return shown(text);let save=written2=>{if(setEditing(
!1),written2===text)return;let value=valueOf2(written2,type);api.setProperties({names:[note],properties:{[key2.replace(/^note\./,
"")]:value}}).then(again,showError)};return type==="boolean"?nn`<input
      type="checkbox"
      aria-label=${label}
      checked=${text==="true"}
      onChange=${()=>save(text==="true"?"false":"true")}
    />`:editing?nn`<${Field}
      label=${label}
      text=${text}
      save=${save}
      cancel=${()=>setEditing(!1)}
    />`:nn`${LINK.test(text)&&shown(text)}
    <button
      type="button"
      class="cell"
      aria-label=${`Edit ${label}: ${text||"empty"}`}
      onClick=${()=>setEditing(!0)}
    >
      ${LINK.test(text)?"✎":text||"–"}
    </button>`}var EDITABLE=new Set(["string","number","boolean","date","list","link","null"]),LINK=/^\[\[([^[\]|]+)(?:\|([^[\]]*))?\]\]$/;
function shown(text){let match=LINK.exec(text);return match?nn`<a href=${noteHash(match[1])}>${match[2]??match[1]}</a>`:
text}function valueOf2(written2,type){let text=written2.trim();return text?type==="boolean"?text==="true":type==="list"?
text.split(",").map(item=>item.trim()).filter(Boolean):type!=="string"&&/^-?\d+(\.\d+)?$/.test(text)?Number(text):text:null}function View({route:{view,name,list,at,named:named2}}){return view==="note"&&name&&at?nn`<${NoteThen} name=${name} at=${at} named=${named2} />`:
view==="note"&&name?nn`<${Note} key=${name} name=${name} />`:view==="tidy"||list&&list in KINDS&&view==="list"?nn`<${Tidy} list=${list} />`:
view==="list"?nn`<${Lists} key=${list} list=${list} />`:view==="tag"&&list?nn`<${Tag} key=${list} tag=${list} />`:view===
"base"&&name?nn`<${Base} key=${`${name} ${list}`} base=${name} view=${list??""} />`:view==="search"?nn`<${SearchResults} key=${list} query=${list??
""} />`:view==="history"?nn`<${History} key=${name??list} name=${name} number=${list} />`:nn`<${Review} query=${list} />`}
var Dialogs=()=>nn`<${SignIns} /><${Help} /><${Palette} /><${NewNote} /><${UndoLast} /><${HoverCard} />`,PARTS={Dialogs,
Opened,Side:Side2,UndoDialog,View};parts.value=PARTS;export{failed,OutdatedSentences,useDropped,still,inOneColumn,byFinger,repaint};
